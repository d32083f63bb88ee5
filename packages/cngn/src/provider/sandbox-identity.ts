import type { IdentityProvider } from './provider.ts'

const ANSWERS: Readonly<Record<string, 'not_found' | 'mismatch'>> = {
  '00000000000': 'not_found',
  '11111111111': 'mismatch',
}

/** The sandbox register: two magic numbers, and every other one belongs to the person that the request names. */
export const sandboxIdentity: IdentityProvider = {
  name: 'sandbox',
  verifyBvn: async ({ bvn }) => ({ outcome: ANSWERS[bvn] ?? 'match' }),
}
