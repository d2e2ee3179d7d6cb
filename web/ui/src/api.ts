// Questions to the server, asked again while it does not answer.

import type { Job } from "./types";

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Whether the server does not answer, and who is told. */
export const connection = {
  gone: false,
  changed: (_gone: boolean) => {},
  set(gone: boolean): void {
    this.gone = gone;
    this.changed(gone);
  },
};

async function once<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  const value = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Refused(response.status, value.error ?? `status ${response.status}`);
  return value;
}

async function patient<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<T> {
  for (let wait = 250; ; wait = Math.min(wait * 2, 4000)) {
    try {
      const value = await once<T>(path, { ...init, ...(signal ? { signal } : {}) });
      connection.set(false);
      return value;
    } catch (error) {
      if (signal?.aborted) throw error;
      if (error instanceof Refused && error.status !== 503) {
        connection.set(false);
        throw error;
      }
      connection.set(true);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return patient<T>(path, {}, signal);
}

export function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return patient<T>(path, init, signal);
}

/**
 * Starts a job and follows it to its end. The body has a key, so that starting again, after the connection or the
 * server was gone, does no work twice.
 */
export async function follow<T>(
  path: string,
  body: { key: string },
  seen: (job: Job<T>) => void,
  signal: AbortSignal,
): Promise<T> {
  let job = await post<Job<T>>(path, body, signal);
  signal.addEventListener("abort", () => {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
    fetch(`/api/jobs/${job.id}/cancel`, init).catch(() => {});
  });
  while (job.state === "waiting" || job.state === "running") {
    seen(job);
    try {
      job = await get<Job<T>>(`/api/jobs/${job.id}?since=${job.version}&wait=15000`, signal);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) throw error;
      job = await post<Job<T>>(path, body, signal);
    }
  }
  if (job.state === "done" && job.value) return job.value;
  throw new Refused(500, job.error ?? `the job was ${job.state}`);
}

/** A name that is not used twice. */
export function fresh(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
