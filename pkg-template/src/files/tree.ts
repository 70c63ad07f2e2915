// Conversations as trees. An edited or regenerated message has siblings, and a summary replaces messages. Reads one
// branch, from a leaf up to the root, as the model would see it. A file's tree may be incomplete or contain cycles.

/** A message of a tree. */
export interface TreeNode {
  readonly id: string;
  /** The id of the previous message. Undefined for the first. */
  readonly parent: string | undefined;
  /** The time of writing, in milliseconds since 1970. */
  readonly timeMs: number | undefined;
  /** False for a node without content. It can be a step of a branch but not its end. Default: true. */
  readonly isSaid?: boolean;
  /** Set if the node replaces the nodes before it on its branch, except those that it lists. */
  readonly compaction?: Compaction | undefined;
  /** The node that replaces this one, if that node is in the tree. */
  readonly replacedBy?: readonly string[];
}

/** The messages before a summary that are kept. */
export interface Compaction {
  /** The first node kept, up to the summary. These nodes move after the summary. */
  readonly keptFrom?: string | undefined;
  /** Nodes that are kept before the summary. */
  readonly kept?: ReadonlySet<string>;
}

/** A branch, oldest first. */
export interface Branch<Node> {
  readonly nodes: readonly Node[];
  /** The faults of the tree, in words. */
  readonly faults: readonly string[];
}

/**
 * Returns the branch of a leaf. Without a valid leaf, returns the newest branch, which ends with the latest message
 * that no other follows; for a tie, the last in the file. If an id occurs twice, the later node counts, at the place of
 * the first.
 *
 * In a log, the previous row replaces a missing parent, so a damaged row hides no others.
 */
export function branchOf<Node extends TreeNode>(
  given: readonly Node[],
  leaf: string | undefined,
  { isLog = false }: { readonly isLog?: boolean } = {},
): Branch<Node> {
  const byId = new Map(given.map((node) => [node.id, node]));
  const nodes = [...byId.values()];
  const rowBefore = new Map(isLog ? nodes.map((node, at) => [node, nodes[at - 1]]) : []);
  const faults: string[] = [];
  const named = leaf === undefined ? undefined : byId.get(leaf);
  if (leaf !== undefined && named === undefined) {
    faults.push(
      `the conversation says that it ends with message ${quoted(leaf)}, which isn't in it: its newest branch is used`,
    );
  }
  const branch = new Set<Node>();
  let node = named ?? newestLeaf(nodes);
  while (node !== undefined) {
    branch.add(node);
    const current: Node = node;
    const { id, parent } = current;
    node = parent === undefined ? undefined : byId.get(parent);
    if (parent !== undefined && node === undefined) {
      node = rowBefore.get(current);
      // A log that continues another begins with a row whose parent is in the other.
      if (!isLog || node !== undefined) {
        const rest =
          node === undefined
            ? `the messages before ${quoted(id)} are missing`
            : `${quoted(id)} follows the row before it`;
        faults.push(`the message ${quoted(parent)} is not in it: ${rest}`);
      }
    }
    if (node !== undefined && branch.has(node)) {
      faults.push(`its messages form a circle: the messages before ${quoted(id)} are unknown`);
      break;
    }
  }
  return { nodes: [...branch].reverse(), faults };
}

/** Returns the nodes of a branch that the model sees: a summary instead of the nodes it replaces. */
export function shownOf<Node extends TreeNode>(branch: readonly Node[]): readonly Node[] {
  const ids = new Set(branch.map(({ id }) => id));
  const nodes = branch.filter(({ id, replacedBy }) => !replacedBy?.some((other) => other !== id && ids.has(other)));
  const at = nodes.findLastIndex(({ compaction }) => compaction !== undefined);
  const summary = nodes[at];
  if (summary?.compaction === undefined) {
    return nodes;
  }
  const { keptFrom, kept } = summary.compaction;
  const before = nodes.slice(0, at);
  const found = before.findIndex(({ id }) => id === keptFrom);
  const from = found < 0 ? at : found;
  // This summary also covers earlier summaries.
  const late = before.slice(from).filter(({ compaction }) => compaction === undefined);
  const early = before.slice(0, from).filter(({ id }) => kept?.has(id));
  return [...early, summary, ...late, ...nodes.slice(at + 1)];
}

function newestLeaf<Node extends TreeNode>(nodes: readonly Node[]): Node | undefined {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const said = nodes.filter(({ isSaid }) => isSaid !== false);
  const followed = new Set<string>();
  for (let { parent } of said) {
    while (parent !== undefined && !followed.has(parent)) {
      followed.add(parent);
      parent = byId.get(parent)?.parent;
    }
  }
  const leaves = said.filter(({ id }) => !followed.has(id));
  let newest: Node | undefined;
  for (const node of leaves.length > 0 ? leaves : said) {
    if (newest === undefined || timeOf(node) >= timeOf(newest)) {
      newest = node;
    }
  }
  return newest;
}

function timeOf({ timeMs }: TreeNode): number {
  return timeMs ?? Number.NEGATIVE_INFINITY;
}

/** Shortens an id for a report. Ids in a file may have any length. */
function quoted(id: string): string {
  return `"${id.length <= 60 ? id : `${id.slice(0, 60)}…`}"`;
}
