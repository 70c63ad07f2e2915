// Reports measurements, in columns for people and as one object for programs.

import { Table } from "../table.mjs";
import { intervalOf, mean } from "./measures.mjs";

/**
 * Returns the lines of the table: each measure at each budget, in percent. The package's own configurations have
 * intervals and details.
 *
 * @param {Awaited<ReturnType<typeof import("./run.mjs").measureConversations>>} measured
 */
export function reportLines({ measures, budgets, results, dayAfterCount }) {
  const table = new Table("percent", ...budgets.map((budget) => `${budget} tokens`));
  for (const [index, measure] of measures.entries()) {
    const count = results[0].shares[index][0].length;
    if (count === 0) {
      continue;
    }
    table.title(`${measure.title} (${count.toLocaleString("en")} questions)`);
    for (const { name, isOwn, shares } of results) {
      if (isOwn || !measure.isDetail) {
        table.add(name, ...shares[index].map(percentOf));
      }
      if (isOwn) {
        table.add("  95 % interval", ...shares[index].map(intervalText));
      }
    }
    const [own] = results;
    const plain = results.find(({ name }) => name === "bm25");
    if (own.isOwn && plain !== undefined && !measure.isDetail) {
      table.add(
        "  more than bm25",
        ...budgets.map((_, at) => moreText(own.shares[index][at], plain.shares[index][at])),
      );
      const before = budgets.map((_, at) => own.shares[index][at - 1]);
      table.add(
        "  more than with the budget before",
        ...budgets.map((_, at) => (at === 0 ? "" : moreText(own.shares[index][at], before[at]))),
      );
    }
  }

  const ranked = results.filter(({ ranks }) => ranks.length > 0);
  if (ranked.length > 0) {
    table.title("how the evidence ranks, without a budget: R@5, R@10, NDCG@10");
    for (const { name, ranks } of ranked) {
      table.add(name, ...["R@5", "R@10", "NDCG@10"].map((key) => percentOf(ranks.map((rank) => rank[key]))));
    }
  }
  table.title("replies of an assistant that come with what they answer, in percent / messages of one role in a row");
  for (const { name, forms } of results) {
    table.add(name, ...forms.map(formText));
  }
  table.title("answered questions that come with a reply, in percent / different texts among the kept, in percent");
  for (const { name, forms } of results) {
    table.add(name, ...forms.map(repliedText));
  }

  table.title("share of the budget that is used, mean and most");
  for (const { name, used } of results) {
    table.add(name, ...used.map((shares) => `${percentOf(shares)} / ${percent(largest(shares))}`));
  }
  table.title("contexts that were over the budget by this count, and were built anew with less");
  for (const { name, rebuilt, used } of results) {
    table.add(name, ...rebuilt.map((count, at) => `${count} of ${used[at].length}`));
  }

  const lines = [table.text(), ""];
  if (dayAfterCount > 0) {
    lines.push(`the clock of ${dayAfterCount} questions without a time: one day after the newest message`);
  }
  for (const { name, notes, milliseconds, buildCount } of results) {
    const noted = [...notes].map(([kind, count]) => `; noted ${count} times: ${kind}`).join("");
    lines.push(
      `${name}: ${buildCount.toLocaleString("en")} builds, ${meanTime(milliseconds, buildCount)} ms each${noted}`,
    );
  }
  return lines;
}

/**
 * Returns the object with the main figures of the first configuration at each budget, in percent with two decimals.
 *
 * @param {Awaited<ReturnType<typeof import("./run.mjs").measureConversations>>} measured
 */
export function figuresOf({ measures, budgets, results: [own] }) {
  return Object.fromEntries(
    budgets.map((budget, at) => {
      const index = measures.findIndex(({ isReported }) => isReported(budget));
      const shares = own.shares[index][at];
      return [String(budget), shares.length === 0 ? null : Math.round(mean(shares) * 10_000) / 100];
    }),
  );
}

function meanTime(milliseconds, count) {
  return (milliseconds / Math.max(count, 1)).toFixed(2);
}

function percentOf(shares) {
  return percent(mean(shares));
}

function percent(share) {
  return (share * 100).toFixed(1);
}

function intervalText(shares) {
  return intervalOf(shares).map(percent).join("–");
}

/** Returns the difference of two means with its paired interval, followed by `!` if it is clearly negative. */
function moreText(shares, others) {
  const more = shares.map((share, at) => share - others[at]);
  const [low, high] = intervalOf(more);
  const isLess = mean(more) < -0.005 && high < 0;
  return `${percent(mean(more))} (${percent(low)} to ${percent(high)})${isLess ? " !" : ""}`;
}

function formText(forms) {
  const sum = (of) => forms.reduce((all, form) => all + of(form), 0);
  const replies = sum(({ replyCount }) => replyCount);
  const answered = replies === 0 ? "-" : percent(sum(({ answeredCount }) => answeredCount) / replies);
  return `${answered} / ${(
    sum(({ messageCount }) => messageCount) /
      Math.max(
        1,
        sum(({ runCount }) => runCount),
      )
  ).toFixed(1)}`;
}

function repliedText(forms) {
  const share = (part, whole) => {
    const sum = (key) => forms.reduce((all, form) => all + form[key], 0);
    return sum(whole) === 0 ? "-" : percent(sum(part) / sum(whole));
  };
  return `${share("repliedCount", "questionCount")} / ${share("textCount", "messageCount")}`;
}

function largest(values) {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
