import { nameWords, sameHolder } from '@payments/fiat'
import { invalid } from '@payments/kernel'
import type { IdentityAnswer, IdentityProvider } from '../provider/provider.ts'

/** First and last name of a customer. */
export interface Names {
  readonly firstName: string
  readonly lastName: string
}

/**
 * The names of a request; what is not given is the first and the last word of the customer's name.
 * @throws validation_failed 422 when the name has one word
 */
export function namesOf(name: string, given: { firstName?: string | undefined; lastName?: string | undefined }): Names {
  const parts = name.trim().split(/\s+/)
  const firstName = given.firstName ?? parts[0] ?? ''
  const lastName = given.lastName ?? (parts.length > 1 ? parts.at(-1) : undefined)
  if (!lastName) throw invalid({ lastName: 'Required: the name of the customer has one word' })
  return { firstName, lastName }
}

const normalised = (name: string): string => nameWords(name).join(' ')

/**
 * What an identity register says of a BVN and a name, asked a second time with the names swapped where they do not match. Where it
 * returns a name, our comparison decides; a partial match is none.
 */
export async function checkIdentity(
  provider: IdentityProvider,
  { bvn, phoneNumber, ...names }: Names & { readonly bvn: string; readonly phoneNumber: string | null },
): Promise<'match' | 'mismatch' | 'not_found' | 'unavailable'> {
  const firstName = normalised(names.firstName)
  const lastName = normalised(names.lastName)
  const ask = async (first: string, last: string) => {
    const answer = await provider.verifyBvn({ bvn, firstName: first, lastName: last, phoneNumber })
    return decided(answer, `${firstName} ${lastName}`)
  }
  const answer = await ask(firstName, lastName)
  return answer === 'mismatch' && firstName !== lastName ? ask(lastName, firstName) : answer
}

function decided({ outcome, name }: IdentityAnswer, given: string) {
  if (outcome === 'not_found' || outcome === 'unavailable') return outcome
  if (name !== undefined) return sameHolder(name, given) ? 'match' : 'mismatch'
  return outcome === 'match' ? 'match' : 'mismatch'
}
