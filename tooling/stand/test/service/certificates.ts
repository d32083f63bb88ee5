import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createCA, createCert } from 'mkcert'
import { beforeAll } from 'vitest'
import { startProcess, type TestProcess } from './process.ts'
import type { TestService } from './service.ts'

const AUTHORITY = { organization: 'Test', countryCode: 'NG', state: 'Lagos', locality: 'Lagos', validity: 2 }

/** A certificate of 127.0.0.1, and the authority that issued it. */
export interface TestCertificate {
  readonly tls: { readonly cert: string; readonly key: string }
  readonly authority: string
}

/** A certificate for servers on loopback, which the tests of this file trust as `NODE_EXTRA_CA_CERTS` makes a process trust it. */
export async function trustedCertificate(): Promise<TestCertificate> {
  const ca = await createCA(AUTHORITY)
  const tls = await createCert({ ca, domains: ['127.0.0.1'], validity: 2 })
  beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), ca.cert]))
  return { tls, authority: ca.cert }
}

/** A process with everything in it, as production starts it: it trusts the certificate, and its settings name live providers. */
export function startInProduction(
  service: TestService,
  { authority }: TestCertificate,
  settings: Readonly<Record<string, string>>,
): Promise<TestProcess> {
  const caFile = join(service.dataDir, 'ca.pem')
  writeFileSync(caFile, authority)
  return startProcess(service, {
    NODE_ENV: 'production',
    PROCESS_ROLE: 'all',
    BASE_URL: 'https://payments.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
    NODE_EXTRA_CA_CERTS: caFile,
    ...settings,
  })
}
