import { expect, test } from 'vitest'
import { isLive, type Screen } from '../screens/screen.ts'
import { fill, fillPlain } from './fill.ts'
import { html } from './html.ts'

test('a template writes nothing for what is absent, lists one after another, templates as they are, and everything else escaped', () => {
  expect(html`<p>${false}${null}${undefined}${[]}</p>`.text).toBe('<p></p>')
  expect(html`${0}${''}${[html`<b>`, '<', [1, null, html`</b>`]]}`.text).toBe('0<b>&#60;1</b>')
  expect(`${html`<b>${'<'}</b>`}`).toBe('<b>&#60;</b>')
})

test('a placeholder is filled by its whole name, once, and one without a value stays', () => {
  const values = { a: 'one', amount: '<2>', b: '{a}', n: 0 }
  expect(fill('xa {a} {amount} {b} {n} {c} ya', values).text).toBe(
    'xa <bdi>one</bdi> <bdi>&#60;2&#62;</bdi> <bdi>{a}</bdi> <bdi>0</bdi> {c} ya',
  )
  expect(fill('xa {b}', values).text).toBe('xa <bdi>{a}</bdi>')
  expect(fillPlain('xa {a} {amount} {b} {n} {c} ya', values)).toBe('xa one <2> {a} 0 {c} ya')
  expect([fill('{a}').text, fillPlain('{a}')]).toEqual(['{a}', '{a}'])
})

test('a page is kept up to date on the screens of a session, on which something may still change', () => {
  const live: Readonly<Record<Screen, boolean>> = {
    ...{ choose: false, paid_already: false, closed: false },
    ...{ waiting: true, underpaid: true, confirming: true, paid: true, returned: true, failed: true },
    ...{ expired: true, cancelled: true },
  }
  for (const [screen, expected] of Object.entries(live))
    expect([screen, isLive(screen as Screen)]).toEqual([screen, expected])
})
