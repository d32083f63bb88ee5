/** Characters that only direct the others: embeddings, overrides and isolates. No font shows them. */
export const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
