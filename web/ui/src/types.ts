// What the server sends (see web/src/view.rs, run/, jobs.rs). Squares are numbered row by row from the top left as
// Black sees the board; a board code of 0 is an empty square.

export type Side = "b" | "w";

export interface Face {
  color: 0 | 1;
  letters: string;
  kanji: string;
  size: number;
  promoted?: boolean;
  name?: string;
}

export interface Catalogue {
  game: string;
  files: number;
  ranks: number;
  faces: (Face | null)[];
  hands: Face[];
  dots: number[];
  start: string;
  presets: string[];
  handicaps: [string, string][];
}

/** What a move does: squares and hand places with their codes before and after. */
export interface Change {
  m: string;
  f: number;
  v?: number;
  t: number;
  b?: number[];
  s: [number, number, number][];
  h?: [number, number, number][];
}

export interface LegalMove extends Change {
  p?: boolean;
  k: string[];
}

export interface Ply extends Change {
  n: string;
}

export interface Over {
  winner: string;
  reason: string;
}

export interface View {
  game: string;
  rules: string;
  sfen: string;
  start: string;
  start_board: number[];
  start_hands: number[];
  start_turn: Side;
  turn: Side;
  number: number;
  board: number[];
  hands: number[];
  check: boolean;
  over: Over | null;
  declare: Over | null;
  moves: LegalMove[];
  reach: [number, number[]][];
  played: Ply[];
  known: number;
}

export interface Job<T> {
  id: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  version: number;
  ahead: number;
  value: T | null;
  error: string | null;
}

export interface Thought {
  move: string;
  score: number | null;
  nodes: number;
}

export interface Arrow {
  m: string;
  f: number;
  v?: number | null;
  t: number;
}

export interface AnalysisMove extends Arrow {
  prior?: number;
  policy?: number;
  visits?: number;
  wdl?: [number, number, number] | null;
}

/** Values are Black's: win, draw, loss. */
export interface Analysis {
  wdl?: [number, number, number] | null;
  network?: [number, number, number] | null;
  moves_left?: number;
  proof?: string | null;
  playouts?: number;
  wanted?: number;
  pv: string[];
  moves: AnalysisMove[];
}

export interface ReplayPly extends Ply {
  q?: [number, number];
  nq?: [number, number];
  pol?: (Arrow & { w: number })[];
  vis: number;
  search: string;
}

export interface Replay {
  id: string;
  generation: number;
  game: string;
  rules: string;
  sfen: string;
  black: string;
  white: string;
  over: Over;
  start_board: number[];
  start_hands: number[];
  start_turn: Side;
  number: number;
  plies: ReplayPly[];
}

export interface Table {
  step: number[];
  columns: Record<string, (number | null)[]>;
}

export interface Generation {
  generation: number;
  games: number;
  plies: number;
  mean_plies: number;
  winners: Record<string, number>;
  reasons: Record<string, number>;
  first_ms: number;
  last_ms: number;
  selfplay_s: number;
  train_s: number | null;
  rest_s: number | null;
}

export interface Overview {
  name: string;
  game: string;
  rules: string;
  seed: number;
  created: number;
  code_version: string;
  now_ms: number;
  games: number;
  plies: number;
  status: Record<string, unknown> | null;
  status_age_s: number | null;
  curves: { train: Table; validation: Table };
  generations: Generation[];
  ratings: unknown;
  matches: [string, unknown][];
  problems: string[];
}

export interface Summary {
  id: string;
  generation: number;
  rules: string;
  over: Over;
  plies: number;
  black: string;
  white: string;
  opening: string;
}

export interface Info {
  version: string;
  games: Catalogue[];
  players: { spec: string; network: boolean }[];
  run: string | null;
  limits: Record<string, number>;
}
