import { readFileSync } from 'node:fs'
import { until } from '@payments/stand'
import type { Outside } from './outside.ts'

const RULES = '/opt/payments/current/deploy/prometheus/alerts.yaml'
const namesIn = (text: string, kind: 'alert' | 'record') =>
  [...text.matchAll(new RegExp(`^ +- ${kind}: (\\S+)$`, 'gm'))].map(([, name = '']) => name)

const prometheus = async <T>(path: string): Promise<T> => {
  const answer = await fetch(`http://127.0.0.1:9090/api/v1/${path}`)
  return ((await answer.json()) as { data: T }).data
}

/** A finding for each alert of the package that Prometheus does not watch, and where what fires would reach nobody. */
export async function alertsWatched({ alerts }: Pick<Outside, 'alerts'>): Promise<string[]> {
  const text = readFileSync(RULES, 'utf8')
  const { groups } = await prometheus<{ groups: { rules: { name: string; health: string }[] }[] }>('rules')
  const watched = new Set(
    groups.flatMap(({ rules }) => rules.filter(({ health }) => health === 'ok')).map(({ name }) => name),
  )
  const unwatched = [...namesIn(text, 'alert'), ...namesIn(text, 'record')].filter((name) => !watched.has(name))
  const { activeAlertmanagers } = await prometheus<{ activeAlertmanagers: unknown[] }>('alertmanagers')
  const arrives = await until('the switch of a dead man arrives', async () =>
    alerts.received.some(({ path, body }) => path === '/watchdog?a=1&b=2' && body.includes('PaymentsWatchdog')),
  ).then(
    () => true,
    () => false,
  )
  return [
    ...unwatched.map((name) => `Prometheus does not watch ${name}`),
    ...(activeAlertmanagers.length === 1 ? [] : ['Prometheus has no Alertmanager']),
    ...(arrives ? [] : ['What fires always did not reach its receiver']),
  ]
}
