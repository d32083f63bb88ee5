import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '@payments/checks'
import { hasTools } from '@payments/stand'
import type { Proof } from '../proof.ts'
import { makeDebian } from '../resilience/machine/debian.ts'
import { pagesIn } from '../resilience/machine/guide.ts'
import { runOnMachine } from '../resilience/machine/index.ts'
import { makeReleases } from './releases.ts'

const PROGRAM = fileURLToPath(new URL('inside.ts', import.meta.url))
/** What the proof needs there: an init, a network with names, and an authority of its own. */
const OWN_PACKAGES = ['systemd', 'iproute2', 'dnsmasq-base', 'ca-certificates']

/** Where an operator finds them. */
const RELEASES = '/srv/releases'

/** The packages that the guide installs: the machine has no network, and nothing that the guide does not name. */
const guidePackages = (): string[] =>
  pagesIn(join(root, 'docs/operators'), [])
    .filter(({ page }) => page === 'production.md')
    .flatMap(({ text }) => [...text.matchAll(/^apt-get install (.+)$/gm)])
    .flatMap(([, words = '']) => words.split(' ').filter((word) => !word.startsWith('-')))

/**
 * The service as its operators start it: the commands of `docs/operators` are read and run on the smallest Debian, with PostgreSQL, PgBouncer,
 * HAProxy, Prometheus and Alertmanager of its packages.
 */
export const run: Proof = async (options) => {
  if (!hasTools('debootstrap')) return { findings: [], figures: {} }
  // Not in the folder of temporary files, which may be too small for it.
  const debian = mkdtempSync('/var/tmp/payments-debian-')
  try {
    makeDebian(debian, [...OWN_PACKAGES, ...guidePackages()])
    const compared = await makeReleases(join(debian, RELEASES))
    return await runOnMachine(PROGRAM, [], options, { RELEASES, COMPARED: JSON.stringify(compared) }, debian)
  } finally {
    rmSync(debian, { recursive: true, force: true })
  }
}
