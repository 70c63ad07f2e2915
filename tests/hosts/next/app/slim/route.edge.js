import vocabulary from "windrow/encodings/o200k_base";
import selection from "windrow/selection.wasm";
import { buildContext, initSync, loadEncoding, memoryStore, openSession } from "windrow/slim";
import core from "windrow/windrow.wasm";
import "windrow/shapes";
import { outcomeOf } from "../../../shared/conversation.js";

export const runtime = "edge";
export const dynamic = "force-dynamic";

initSync(core, { selection });

export async function GET() {
  await loadEncoding(vocabulary);
  return Response.json(await outcomeOf({ buildContext, openSession }, memoryStore()));
}
