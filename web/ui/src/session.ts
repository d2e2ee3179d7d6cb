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

  constructor(readonly catalogue: Catalogue) {}

  /** The game as the server wants it. */
  request(known = 0) {
    const { rules, sfen, handicap, moves } = this;
    return { game: this.catalogue.game, rules, sfen, handicap, moves, known };
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

  /** Plays a legal move. */
  async play(move: string): Promise<void> {
    const moves = [...this.moves, move];
    const body = { ...this.request(this.moves.length), moves };
    const view = await post<View>("/api/position", body);
    this.moves = moves;
    this.view = view;
    this.line.plies.push(...view.played);
  }

  /** Goes back to a ply for good. */
  async cut(ply: number): Promise<void> {
    const moves = this.moves.slice(0, ply);
    const view = await post<View>("/api/position", { ...this.request(ply), moves });
    this.moves = moves;
    this.view = view;
    this.line.cut(ply);
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
