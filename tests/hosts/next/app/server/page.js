import { buildContext, memoryStore, openSession } from "windrow";
import { outcomeOf } from "../../../shared/conversation.js";

export const dynamic = "force-dynamic";

export default async function Page() {
  const outcome = await outcomeOf({ buildContext, openSession }, memoryStore());
  return <pre>{Buffer.from(JSON.stringify(outcome)).toString("base64")}</pre>;
}
