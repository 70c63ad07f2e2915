import { buildContext, memoryStore, openSession } from "windrow";
import { outcomeOf } from "../../../shared/conversation.js";

export const runtime = "edge";
export const dynamic = "force-dynamic";

export async function GET() {
  return Response.json(await outcomeOf({ buildContext, openSession }, memoryStore()));
}
