// What somebody who slipped may have meant.

/** The name that differs least from what was given, if it differs little enough to be a slip. */
export function nearest<Name extends string>(given: string, known: readonly Name[]): Name | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[-_]/g, "");
  const wanted = plain(given);
  // Two letters that changed places are two changes; of a single letter nothing is like.
  const most = (candidate: string): number => Math.min(2 + candidate.length / 8, wanted.length - 1);
  const ranked = known
    // What is much longer or shorter is no slip. Looked at letter by letter, a long text would cost seconds.
    .filter((candidate) => Math.abs(wanted.length - plain(candidate).length) <= most(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(wanted, plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= most(candidate))
    .sort((left, right) => left.distance - right.distance);
  return ranked[0]?.candidate;
}

/** How many letters must be put in, taken out or changed to make one text of the other. */
function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const changed = (above[column - 1] as number) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (above[column] as number) + 1, (current[column - 1] as number) + 1));
    }
    above = current;
  }
  return above[right.length] as number;
}
