import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createCA, createCert } from 'mkcert'

const PLACE = { countryCode: 'NG', state: 'Lagos', locality: 'Lagos', validity: 2 }

/**
 * A certificate of these names, and the authority that issued it, as PEM. Each authority has a name of its own: of two with one name that a
 * process trusts, a certificate may be compared with the wrong one.
 */
export async function certificateOf(domains: string[] = ['127.0.0.1']) {
  const { cert: authority, key } = await createCA({ ...PLACE, organization: `Test ${randomUUID()}` })
  return { authority, tls: await createCert({ ca: { cert: authority, key }, domains, validity: 2 }) }
}

/** Has this process trust an authority, as `NODE_EXTRA_CA_CERTS` does for another one. */
export const trust = (authority: string): void => setDefaultCACertificates([...getCACertificates('default'), authority])

/** A certificate for servers on loopback, which this process trusts. */
export async function trustedLoopback() {
  const made = await certificateOf()
  trust(made.authority)
  return made
}

/** What other processes are told, so that they trust an authority: kept in a folder. */
export function trustedBy(folder: string, authority: string): { readonly NODE_EXTRA_CA_CERTS: string } {
  const file = join(folder, 'ca.pem')
  writeFileSync(file, authority)
  return { NODE_EXTRA_CA_CERTS: file }
}
