"use client";

import { useEffect } from "react";
import { buildContext, openSession } from "windrow";
import { indexedDbStore } from "windrow/stores/indexeddb";
import { outcomeOf } from "../../../shared/conversation.js";

export default function Page() {
  useEffect(() => {
    window.outcome = outcomeOf({ buildContext, openSession }, indexedDbStore());
  }, []);
  return <p>A context is built here.</p>;
}
