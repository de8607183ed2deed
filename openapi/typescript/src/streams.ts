/** Server-sent events over `fetch`, which sends a token: they resume where they broke off. */

import { Problem } from "./problems.js";

/** A frame of a stream. `type` is the type of its event. A frame without data only sets the `id` from which the stream resumes. */
export interface Frame {
  id: string;
  type: string;
  data: string;
}

/** How a stream is opened, and when it counts as lost. */
export interface Following {
  /** Open the stream after the frame with an id. Rejects with a `Problem` if the service refuses to open it. */
  open(last: string | undefined, signal: AbortSignal): Promise<Response>;
  /** The id of the frame after which to begin. */
  last?: string | undefined;
  /**
   * Milliseconds without any data after which a stream counts as lost. The service sends something every 15 seconds.
   */
  silence: number;
  /** Milliseconds before the first attempt to connect again. They double up to `longest`. */
  pause: number;
  longest: number;
  signal?: AbortSignal | undefined;
  /** Fetch, by a plain request, frames that a proxy may hold back. It is called when a stream was silent. */
  missed?(last: string | undefined): Promise<Frame[]>;
}

const SILENT = "silent";

/**
 * Yield the frames of a stream. When it breaks off, connect again after the last frame. Ends when the service
 * says that no more will come (204). Throws a `Problem` if it refuses, such as 401 when the token has ended.
 */
export async function* frames({ open, last, silence, pause, longest, signal, missed }: Following): AsyncGenerator<Frame, void> {
  for (let failures = 0; !signal?.aborted; failures += 1) {
    const stop = new AbortController();
    const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const alarm = () => setTimeout(() => stop.abort(SILENT), silence);
    let timer = alarm();
    try {
      const response = await open(last, both);
      if (response.status === 204 || !response.body) return;
      for await (const block of blocks(response.body, () => (clearTimeout(timer), (timer = alarm())))) {
        const frame = parsed(block);
        last = frame.id ?? last;
        failures = 0;
        if (frame.data === undefined) continue;
        clearTimeout(timer); // The time that the reader takes does not count as silence.
        yield { id: last ?? "", type: frame.type, data: frame.data };
        timer = alarm();
      }
    } catch (error) {
      if (error instanceof Problem) throw error;
      if (signal?.aborted) return;
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
    const missedFrames = stop.signal.reason === SILENT ? await missed?.(last).catch(unlessRefused) : undefined;
    for (const frame of missedFrames ?? []) {
      last = frame.id;
      if (frame.data) yield frame;
    }
    await rest(jittered(Math.min(longest, pause * 2 ** failures)), signal);
  }
}

/** Ignore a request that got no answer. Throw a `Problem` again, because a refusal ends the stream. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof Problem) throw error;
}

/** Return a random time from half of `milliseconds` to all, so that not all clients come back at once after an outage. */
export function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2);
}

/** Wait for a number of milliseconds, or until the signal aborts. */
export function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => (clearTimeout(timer), signal?.removeEventListener("abort", done), resolve());
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
  });
}

/** Yield the blocks of a stream of text, between empty lines. A block that was cut off at the end is left out. */
async function* blocks(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heard();
      const complete = (text + decoder.decode(part.value, { stream: true })).split("\n\n");
      text = complete.pop() ?? "";
      yield* complete;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Return the fields of a block. A comment has none; a block with only an id sets where the stream resumes. */
function parsed(block: string): { id?: string; type: string; data?: string } {
  const fields: { [name: string]: string[] } = {};
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    (fields[name] ??= []).push(value);
  }
  const { id, event, data } = fields;
  return { type: event?.at(-1) ?? "message", ...(id && { id: id.at(-1) }), ...(data && { data: data.join("\n") }) };
}
