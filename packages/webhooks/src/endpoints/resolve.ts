import { Resolver } from 'node:dns/promises'
import { extension } from '@payments/kernel'

/** Every address of a name. An empty list: the name does not resolve. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** Resolves the host names of targets. Tests provide their own. */
export const targetNames = extension<Resolve>('Name resolution is not available')

/**
 * Queries the configured name servers only, never `/etc/hosts`, and outside the thread pool of `getaddrinfo`: a name server
 * that does not answer would hold one of its four threads, and with it the deliveries of others.
 */
export const publicNames: Resolve = async (name) => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
