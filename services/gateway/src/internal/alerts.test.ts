import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { appRouter } from '@payments/api'
import { expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { hasTools, useService } from '#testing'
import { createMetrics } from './metrics.ts'

const service = useService()
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = join(root, 'deploy/prometheus')
const rules: { alert?: string; record?: string; expr: string; labels?: object; annotations?: { runbook: string } }[] =
  parse(readFileSync(join(folder, 'alerts.yaml'), 'utf8')).groups.flatMap((group: { rules: unknown[] }) => group.rules)
/** Their tests, for promtool. */
const TESTS = ['alerts.test.yaml', 'gauges.test.yaml']
const alerts = rules.filter(({ alert }) => alert)
const board: { panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[] } = JSON.parse(
  readFileSync(join(root, 'deploy/grafana/payments.json'), 'utf8'),
)
const shown = board.panels.flatMap(({ targets }) => targets ?? [])
const page = readFileSync(join(root, 'docs/operators/alerts.md'), 'utf8')

test('every alert and every panel of the board looks at metrics that a process reports', async () => {
  const known = new Set(
    [...(await createMetrics(service.runtime).registry.metrics()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name),
  )
  const recorded = new Set(rules.flatMap(({ record }) => record ?? []))
  const names = [...rules, ...shown].flatMap(({ expr }) =>
    [...expr.matchAll(/\b([a-z]+_[a-z_]+|payments:[\w:]+)\b(?=[{[)\s]|$)/g)].map(([, name = '']) => name),
  )
  expect(new Set(names).size).toBeGreaterThan(25)
  const counted = (name: string) => name.replace(/_(count|bucket)$/, '')
  const functions = new Set(['histogram_quantile', 'environment'])
  expect(names.filter((name) => !functions.has(name) && !recorded.has(name) && !known.has(counted(name)))).toEqual([])
})

test('every alert has a severity and a section that says what it means and what to do, and every section has an alert', () => {
  expect(alerts.length).toBeGreaterThan(25)
  for (const { alert = '', labels, annotations } of alerts) {
    expect([alert, labels]).toEqual([alert, { severity: expect.stringMatching(/^(page|ticket|watchdog)$/) }])
    expect(annotations?.runbook).toBe(`docs/operators/alerts.md#${alert.toLowerCase()}`)
    expect(page).toMatch(new RegExp(`^## ${alert}\\n\\n_(page|ticket|watchdog)_\\. .+\\n\\n1\\. `, 'm'))
  }
  const sections = [...page.matchAll(/^## (\S+)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(alerts.map(({ alert }) => alert))
})

test('every command of the operators that a section names exists', () => {
  const procedures = new Set(Object.keys(appRouter._def.procedures))
  const camel = (word: string) => word.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())
  const named = [...page.matchAll(/`ops ([a-z-]+)(?: ([a-z-]+))?(?: --[^`]*)?`/g)].map(([, group = '', command]) =>
    ['admin', camel(group), ...(command ? [camel(command)] : [])].join('.'),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !procedures.has(name))).toEqual([])
})

test.skipIf(!hasTools('promtool'))('Prometheus accepts the rules, and they fire when they are to, once', () => {
  expect(() => execFileSync('promtool', ['check', 'rules', 'alerts.yaml'], { cwd: folder })).not.toThrow()
  for (const file of TESTS)
    expect(() => execFileSync('promtool', ['test', 'rules', file], { cwd: folder })).not.toThrow()
})

test.skipIf(!hasTools('promtool', 'amtool'))('Prometheus and Alertmanager accept what the guide installs', () => {
  const debian = join(root, 'deploy/debian')
  // The rules are where the package is installed.
  expect(() =>
    execFileSync('promtool', ['check', 'config', '--syntax-only', 'prometheus.yml'], { cwd: debian }),
  ).not.toThrow()
  const directory = mkdtempSync(join(tmpdir(), 'payments-alertmanager-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'alertmanager.yml')
  const text = readFileSync(join(debian, 'alertmanager.yml'), 'utf8')
  writeFileSync(file, text.replaceAll(/"(ALERTS|WATCHDOG)_URL"/g, '"http://127.0.0.1:9/$1"'))
  expect(() => execFileSync('amtool', ['check-config', file])).not.toThrow()
})

test('every alert has a test in which it fires, and one in which it does not unless it fires always', () => {
  const tried = TESTS.flatMap((file) => parse(readFileSync(join(folder, file), 'utf8')).tests).flatMap(
    ({ alert_rule_test: checks }: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }) => checks,
  )
  const names = (fires: boolean) =>
    new Set(tried.filter((each) => each.exp_alerts.length > 0 === fires).map(({ alertname }) => alertname))
  const [firing, silent] = [names(true), names(false)]
  expect(alerts.map(({ alert = '' }) => alert).filter((alert) => !firing.has(alert))).toEqual([])
  const conditional = alerts.filter(({ expr }) => expr !== 'vector(1)')
  expect(conditional.map(({ alert = '' }) => alert).filter((alert) => !silent.has(alert))).toEqual([])
})

test.skipIf(!hasTools('promtool'))('Prometheus accepts every expression of the board', () => {
  const directory = mkdtempSync(join(tmpdir(), 'payments-board-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'board.yaml')
  const asRules = shown.map(({ expr }, index) => ({ record: `board:panel:${index}`, expr }))
  writeFileSync(file, stringify({ groups: [{ name: 'board', rules: asRules }] }))
  expect(() => execFileSync('promtool', ['check', 'rules', file])).not.toThrow()
  expect(shown.length).toBeGreaterThan(20)
})
