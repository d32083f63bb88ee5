import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll } from 'vitest'
import { certificateOf, trust, trustedBy } from '../../src/machine/certificates.ts'
import { startProcess, type TestProcess } from './process.ts'
import type { TestService } from './service.ts'

/** A certificate of 127.0.0.1, and the authority that issued it. */
export interface TestCertificate {
  readonly tls: { readonly cert: string; readonly key: string }
  readonly authority: string
}

/** A certificate for servers on loopback, which the tests of this file trust as `NODE_EXTRA_CA_CERTS` makes a process trust it. */
export async function trustedCertificate(): Promise<TestCertificate> {
  const made = await certificateOf()
  const before = getCACertificates('default')
  beforeAll(() => trust(made.authority))
  afterAll(() => setDefaultCACertificates(before))
  return made
}

/** A process with everything in it, as production starts it: it trusts the certificate, and its settings name live providers. */
export function startInProduction(
  service: TestService,
  { authority }: TestCertificate,
  settings: Readonly<Record<string, string>>,
): Promise<TestProcess> {
  return startProcess(service, {
    NODE_ENV: 'production',
    PROCESS_ROLE: 'all',
    BASE_URL: 'https://payments.example',
    TRUST_PROXY: '127.0.0.1',
    SMTP_URL: 'smtp://127.0.0.1:9',
    ...trustedBy(service.dataDir, authority),
    ...settings,
  })
}
