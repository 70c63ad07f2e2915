// Buttons that copy, and say that they did.

const waiting = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>();

/** Makes a button copy what `text` gives when it is pressed. */
export function copyBy(button: HTMLButtonElement, text: () => string): void {
  const usual = button.textContent ?? "";
  const say = (answer: string): void => {
    button.textContent = answer;
    clearTimeout(waiting.get(button));
    waiting.set(
      button,
      setTimeout(() => {
        button.textContent = usual;
      }, 1500),
    );
  };
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(text()).then(
      () => say("Copied"),
      () => say("Not allowed"),
    );
  });
}
