// The samples: one file each, fetched when it is chosen.

const files = import.meta.glob<string>("../samples/*.json", { query: "?url", import: "default", eager: true });
const workshop = new URL("../sample.json", import.meta.url).href;

export interface Sample {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly address: string;
}

const known: readonly Omit<Sample, "address">[] = [
  { name: "workshop", title: "Workshop plan", about: "three friends and an assistant, two weeks" },
  { name: "assistant", title: "Long chat with an assistant", about: "long replies, code, standing instructions" },
  { name: "friends", title: "Weeks of a private chat", about: "two friends and a move" },
  { name: "agent", title: "An agent's run", about: "tool calls and their results" },
  { name: "channel", title: "A crowded channel", about: "many people, several threads at once" },
  { name: "languages", title: "Several languages", about: "a family that writes in five" },
];

export const samples: readonly Sample[] = known.flatMap((sample) => {
  const address = sample.name === "workshop" ? workshop : files[`../samples/${sample.name}.json`];
  return address === undefined ? [] : [{ ...sample, address: new URL(address, location.href).href }];
});

export const FIRST_SAMPLE = "workshop";

export function sampleNamed(name: string): Sample | undefined {
  return samples.find((sample) => sample.name === name);
}
