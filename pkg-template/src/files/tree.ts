// Conversations that are trees: a message that was edited or asked again has another beside it. What is read is one branch, from
// a leaf up to the root. A tree of a file may be torn, or run in a circle.

/** A message of a tree. */
export interface TreeNode {
  readonly id: string;
  /** The message before it; undefined for the first. */
  readonly parent: string | undefined;
  /** When it was written, in milliseconds since 1970. */
  readonly timeMs: number | undefined;
}

/** A branch, oldest first. */
export interface Branch<Node> {
  readonly nodes: readonly Node[];
  /** What is wrong with the tree, in words. */
  readonly faults: readonly string[];
}

/**
 * The branch of a leaf. Where the leaf is not named, or not there, it is the newest branch: that of the latest message that no
 * other follows, of several the last in the file.
 */
export function branchOf<Node extends TreeNode>(nodes: readonly Node[], leaf: string | undefined): Branch<Node> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const faults: string[] = [];
  const named = leaf === undefined ? undefined : byId.get(leaf);
  if (leaf !== undefined && named === undefined) {
    faults.push(
      `the message ${quoted(leaf)}, with which the conversation ends, is not in it: its newest branch is taken`,
    );
  }
  const branch = new Set<Node>();
  let node = named ?? newestLeaf(nodes);
  while (node !== undefined) {
    branch.add(node);
    const { id, parent }: Node = node;
    node = parent === undefined ? undefined : byId.get(parent);
    if (parent !== undefined && node === undefined) {
      faults.push(`the message ${quoted(parent)} is not in it: what was before ${quoted(id)} is missing`);
    } else if (node !== undefined && branch.has(node)) {
      faults.push(`its messages follow each other in a circle: what was before ${quoted(id)} is not known`);
      break;
    }
  }
  return { nodes: [...branch].reverse(), faults };
}

function newestLeaf<Node extends TreeNode>(nodes: readonly Node[]): Node | undefined {
  const parents = new Set(nodes.map(({ parent }) => parent));
  const leaves = nodes.filter(({ id }) => !parents.has(id));
  let newest: Node | undefined;
  for (const node of leaves.length > 0 ? leaves : nodes) {
    if (newest === undefined || timeOf(node) >= timeOf(newest)) {
      newest = node;
    }
  }
  return newest;
}

function timeOf({ timeMs }: TreeNode): number {
  return timeMs ?? Number.NEGATIVE_INFINITY;
}

/** An id for a report: those of a file may be of any length. */
function quoted(id: string): string {
  return `"${id.length <= 60 ? id : `${id.slice(0, 60)}…`}"`;
}
