// A game that is being played or analysed: its start and moves here, its positions from the server.

import { post } from "./api";
import { Line } from "./line";
import type { Catalogue, Ply, View } from "./types";

export interface Start {
  rules: string;
  sfen: string;
  handicap: string;
  moves: string[];
}

export class Session {
  rules = "";
  sfen = "";
  handicap = "";
  moves: string[] = [];
  view: View | null = null;
  line = new Line<Ply>([], []);
  private asked = 0;
  /** The number of the question whose answer will count; 0 if none. */
  private awaited = 0;

  constructor(readonly catalogue: Catalogue) {}

  /** The game as the server wants it. */
  request(known = 0) {
    const { rules, sfen, handicap, moves } = this;
    return { game: this.catalogue.game, rules, sfen, handicap, moves, known };
  }

  /** Whether the game is about to change: an answer is awaited. */
  get busy(): boolean {
    return this.awaited > 0;
  }

  /** Lets the answers that are awaited count for nothing. */
  drop(): void {
    this.asked++;
    this.awaited = 0;
  }

  /** Asks for a position; `null` if something else was asked or done meanwhile, so that the answer is out of date. */
  private async look(body: object): Promise<View | null> {
    const asked = ++this.asked;
    this.awaited = asked;
    try {
      const view = await post<View>("/api/position", body);
      return asked === this.asked ? view : null;
    } catch (error) {
      if (asked === this.asked) throw error;
      return null;
    } finally {
      if (this.awaited === asked) this.awaited = 0;
    }
  }

  /** Starts another game. What is wrong with it is thrown, and the old game stays. */
  async load(start: Start): Promise<void> {
    const body = { game: this.catalogue.game, ...start, known: 0 };
    const view = await post<View>("/api/position", body);
    Object.assign(this, start);
    this.rules = view.rules;
    // The start's string says all; the handicap's name was only a way to it.
    if (this.handicap) {
      this.sfen = view.start;
      this.handicap = "";
    }
    this.view = view;
    this.line = new Line(view.start_board, view.start_hands, view.played);
  }

  /** Plays a legal move; false if that was overtaken. */
  async play(move: string): Promise<boolean> {
    const moves = [...this.moves, move];
    const body = { ...this.request(this.moves.length), moves };
    const view = await this.look(body);
    if (!view) return false;
    this.moves = moves;
    this.view = view;
    this.line.plies.push(...view.played);
    return true;
  }

  /** Goes back to a ply for good; false if that was overtaken. */
  async cut(ply: number): Promise<boolean> {
    const moves = this.moves.slice(0, ply);
    const view = await this.look({ ...this.request(ply), moves });
    if (!view) return false;
    this.moves = moves;
    this.view = view;
    this.line.cut(ply);
    return true;
  }

  /** The part of an address that shares the position. */
  hash(mode: string): string {
    const parts = new URLSearchParams({ g: this.catalogue.game });
    if (this.rules) parts.set("r", this.rules);
    if (this.sfen) parts.set("s", this.sfen);
    if (this.moves.length) parts.set("m", this.moves.join("."));
    return `#${mode}?${parts}`;
  }
}

/** Reads what `hash` wrote. */
export function readHash(hash: string): { mode: string; game: string | null; start: Start } {
  const [mode = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const parts = new URLSearchParams(query);
  const moves = parts.get("m");
  return {
    mode,
    game: parts.get("g"),
    start: {
      rules: parts.get("r") ?? "",
      sfen: parts.get("s") ?? "",
      handicap: "",
      moves: moves ? moves.split(".") : [],
    },
  };
}
