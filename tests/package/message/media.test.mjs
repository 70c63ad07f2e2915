// Images, audio and files: the data read from their bytes, and malformed headers that must not break a count.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { countTokens, loadEncoding, requestOf } from "windrow";
import { processorMs } from "../support/processor-time.mjs";
import { forEachSeed } from "../support/property.mjs";

before(() => loadEncoding("o200k_base"));

const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const count = (part, /** @type {import("windrow").CountOptions} */ options = { model: "gpt-4o" }) => {
  const counted = countTokens([{ role: "user", content: ["look", part] }], options);
  assert.equal(counted.exact, false);
  return counted.tokens - countTokens([{ role: "user", content: ["look"] }], options).tokens;
};

function png(width, height, more = 40) {
  const bytes = Buffer.alloc(24 + more);
  bytes.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  bytes.writeUInt32BE(13, 8);
  bytes.write("IHDR", 12, "latin1");
  bytes.writeUInt32BE(width >>> 0, 16);
  bytes.writeUInt32BE(height >>> 0, 20);
  return bytes;
}

function gif(width, height) {
  const bytes = Buffer.alloc(64);
  bytes.write("GIF89a", 0, "latin1");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

function jpeg(width, height, before = 70_000) {
  const segments = [];
  for (let left = before; left > 0; left -= 60_000) {
    const length = Math.min(left, 60_000);
    const segment = Buffer.alloc(length + 4);
    segment.writeUInt16BE(0xffe1, 0);
    segment.writeUInt16BE(length + 2, 2);
    segments.push(segment);
  }
  const frame = Buffer.alloc(40);
  frame.writeUInt16BE(0xffc2, 0);
  frame.writeUInt16BE(17, 2);
  frame[4] = 8;
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, frame]);
}

function webp(kind, width, height) {
  const bytes = Buffer.alloc(64);
  bytes.write("RIFF", 0, "latin1");
  bytes.write("WEBP", 8, "latin1");
  bytes.write(kind, 12, "latin1");
  if (kind === "VP8 ") {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else if (kind === "VP8L") {
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  } else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes;
}

function wav(seconds, bytesPerSecond = 32_000) {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt32LE(bytesPerSecond, 28);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(seconds * bytesPerSecond, 40);
  return Buffer.concat([head, Buffer.alloc(seconds * bytesPerSecond)]);
}

function pdf(pages, size = 0) {
  const body = Array.from({ length: pages }, (_, at) => `${at + 3} 0 obj <</Type /Page /Parent 2 0 R>> endobj\n`).join(
    "",
  );
  return Buffer.from(`%PDF-1.4\n2 0 obj <</Type /Pages /Count ${pages}>> endobj\n${body}${"x".repeat(size)}`, "latin1");
}

describe("images", () => {
  const forms = (bytes, type = "image/png") => [
    { type: "image", data: bytes, mediaType: type },
    { type: "image", data: base64(bytes), mediaType: type },
    { type: "image", image: new Uint8Array(bytes) },
    { type: "image", image: `data:${type};base64,${base64(bytes)}` },
    { type: "image_url", image_url: { url: `data:${type};base64,${base64(bytes)}` } },
    { type: "image_url", image_url: { url: `data:${type};base64,${base64(bytes)}`, detail: "high" } },
    { type: "image", source: { type: "base64", media_type: type, data: base64(bytes) } },
    { type: "file", data: bytes, mediaType: type },
    { type: "file", data: base64(bytes), mediaType: type },
  ];

  test("in every form count by the size in their header", () => {
    for (const bytes of [
      png(1024, 1024),
      gif(1024, 1024),
      jpeg(1024, 1024),
      jpeg(1024, 1024, 0),
      webp("VP8 ", 1024, 1024),
      webp("VP8L", 1024, 1024),
      webp("VP8X", 1024, 1024),
    ]) {
      for (const part of forms(bytes)) {
        assert.equal(count(part), 765, JSON.stringify(part).slice(0, 80));
        assert.equal(count(part, { model: "claude-sonnet-4" }), 37 * 37);
        assert.equal(count(part, { model: "gemini-2.5-pro" }), 258 * 4);
        assert.equal(count(part, { model: "gemini-3-pro-preview" }), 1120);
        assert.equal(count(part, { model: "gpt-5.5" }), Math.ceil(1024 * 1.2));
        assert.equal(count(part, { encoding: "o200k_base" }), 37 * 37);
      }
    }
    assert.equal(count({ type: "image", data: png(512, 512) }), 255);
    assert.equal(count({ type: "image", data: png(2048, 4096) }), 1105);
    assert.equal(count({ type: "image", detail: "low", data: png(2048, 4096) }), 85);
  });

  test("may state their size, and unknown ones count as large", () => {
    const url = "https://example.com/1.png";
    assert.equal(count({ type: "image", url }), 1445);
    assert.equal(count({ type: "image", url, width: 512, height: 512 }), 255);
    assert.equal(count({ type: "image_url", image_url: { url, detail: "low" } }), 85);
    assert.equal(count({ type: "image", url }, { model: "claude-sonnet-4" }), 1568);
    assert.equal(count({ type: "image", url }, { model: "claude-opus-4-8" }), 4784);
    assert.equal(count({ type: "image", url }, { encoding: "o200k_base" }), 1568);
  });

  test("cost by their requested detail", () => {
    const data = png(4032, 3024);
    for (const [detail, tokens] of /** @type {[detail: any, tokens: number][]} */ ([
      ["low", 231],
      ["high", 2942],
      ["original", 14_364],
      ["auto", 14_364],
    ])) {
      assert.equal(count({ type: "image", detail, data }, { model: "gpt-5.6-sol" }), tokens, detail);
      const url = `data:image/png;base64,${base64(data)}`;
      assert.equal(count({ type: "image_url", image_url: { url, detail } }, { model: "gpt-5.6-sol" }), tokens, detail);
    }
  });

  test("of impossible sizes don't break a count", () => {
    for (const [width, height] of [
      [0, 0],
      [0xffffffff, 0xffffffff],
      [1, 0xffffffff],
      [0xffffffff, 1],
    ]) {
      for (const model of ["gpt-4o", "gpt-4.1-mini", "claude-sonnet-4", "gemini-2.5-pro"]) {
        const tokens = count({ type: "image", data: png(width, height) }, { model });
        assert.ok(tokens > 0 && Number.isSafeInteger(tokens), `${width}, ${height}, ${model}`);
      }
    }
    for (const figure of [Number.NaN, -1, 0, Number.POSITIVE_INFINITY, 1e308, "5", null, {}]) {
      const part = { type: "image", url: "https://example.com/1.png", width: figure, height: figure };
      assert.ok(Number.isSafeInteger(count(part)) && count(part) > 0, String(figure));
    }
  });

  test("of random bytes after a valid header don't break it either", () => {
    const heads = [png(9, 9), gif(9, 9), jpeg(9, 9, 10), webp("VP8X", 9, 9), wav(1), pdf(1)];
    forEachSeed((random) => {
      const bytes = Uint8Array.from(random.pick(heads).subarray(0, random.integer(0, 60)));
      for (let left = random.integer(0, 12); left > 0 && bytes.length > 4; left -= 1) {
        bytes[random.integer(4, bytes.length - 1)] = random.integer(0, 255);
      }
      if (bytes.length === 0) {
        return;
      }
      for (const type of ["image", "file", "audio"]) {
        const data = random.chance(0.5) ? bytes : base64(bytes);
        const tokens = count({ type, data });
        assert.ok(tokens > 0 && tokens < 2 ** 45, `${type}: ${tokens}`);
      }
    });
  });
});

test("the path of an image or of audio is refused, and is never a text of the user", () => {
  const parts = [
    { type: "image", image: "/images/boat.png" },
    { type: "file", mediaType: "image/png", data: "boat.png" },
    { type: "input_audio", input_audio: { data: "C:\\boat.wav", format: "wav" } },
    { type: "file", mediaType: "video/mp4", data: "./boat.mp4" },
  ];
  for (const part of parts) {
    assert.throws(() => count(part), { code: "INVALID_TRANSCRIPT", message: /isn't base64/ });
  }
  const text = { type: "file", mediaType: "text/plain", data: "The boat, in words." };
  assert.ok(count(text) > 0);
});

test("a JPEG under its other name is sent, and a type without a family is found by the bytes", () => {
  for (const [mediaType, data] of [
    ["image/jpg", "/9j/4AAQ"],
    ["image/JPG", "/9j/4AAQ"],
    ["jpeg", "/9j/4AAQ"],
  ]) {
    const body = requestOf("anthropic", [{ role: "user", content: [{ type: "image", image: data, mediaType }] }]);
    assert.deepEqual(body.messages[0].content, [
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data } },
    ]);
  }
});

describe("files and audio", () => {
  test("a PDF counts its pages, or is estimated from its bytes", () => {
    assert.equal(count({ type: "file", data: pdf(3), mediaType: "application/pdf" }), 3 * 4105);
    assert.equal(
      count({ type: "file", file: { file_data: `data:application/pdf;base64,${base64(pdf(3))}` } }),
      3 * 4105,
    );
    const source = { type: "base64", media_type: "application/pdf", data: base64(pdf(12)) };
    assert.equal(count({ type: "document", source }, { model: "claude-sonnet-4" }), 12 * 4568);
    const unseen = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(1_000_000, 7)]);
    assert.equal(count({ type: "file", data: unseen, mediaType: "application/pdf" }), 51 * 4105);
    assert.equal(count({ type: "file", file: { file_id: "file-1" } }), 5 * 4105);
    assert.equal(count({ type: "file", file: { file_id: "file-1" }, pages: 2 }), 2 * 4105);
  });

  test("a text counts by its bytes", () => {
    assert.equal(count({ type: "file", data: Buffer.alloc(3000, 97), mediaType: "text/plain" }), 1500);
    assert.equal(
      count({ type: "document", source: { type: "text", media_type: "text/plain", data: "é".repeat(150) } }),
      150,
    );
  });

  test("audio counts its seconds", () => {
    assert.equal(count({ type: "input_audio", input_audio: { data: base64(wav(3)), format: "wav" } }), 30);
    assert.equal(count({ type: "audio", data: wav(3) }, { model: "gemini-2.5-pro" }), 96);
    assert.equal(count({ type: "audio", url: "https://example.com/1.mp3", seconds: 12.5 }), 125);
    assert.equal(count({ type: "audio", data: Buffer.alloc(40_000, 1) }), 200);
    assert.equal(count({ type: "audio", data: wav(3) }, { encoding: "o200k_base" }), 96);
  });

  test("video counts its seconds", () => {
    const video = { type: "file", url: "https://example.com/1.mp4", mediaType: "video/mp4" };
    assert.equal(count({ ...video, seconds: 10 }), 3000);
    assert.equal(count({ ...video, seconds: 10 }, { model: "gemini-3-flash" }), 3000);
    assert.equal(count(video), 18_000);
  });

  test("many megabytes are scanned once", () => {
    const part = { type: "file", data: base64(pdf(40, 8_000_000)), mediaType: "application/pdf" };
    const started = processorMs();
    assert.equal(count(part), 40 * 4105);
    const first = processorMs() - started;
    assert.ok(first < 5000, `${first} ms`);
  });
});
