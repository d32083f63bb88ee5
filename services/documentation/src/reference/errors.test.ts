import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { everyDomain } from '@payments/api'
import { everyError, gatewayErrors, operations } from '@payments/gateway'
import { errors as commonErrors, newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { call, newCollection, newMerchant, useArtefact } from '#testing'

const service = useArtefact()
const document = readFileSync(new URL('../../../../docs/derived/errors.md', import.meta.url), 'utf8')
const HELP = /^<\/docs\/reference\/errors#(\w+)>; rel="help"$/

interface Answer {
  readonly status: number
  readonly link: string | null | undefined
  readonly body: string
}

/** What the service answers to bytes that no client sends. */
async function raw(bytes: string): Promise<Answer> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), link: head.match(/^Link: (.*)$/im)?.[1], body }
}

async function sent(request: string, options: RequestInit = {}): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ')
  const reply = await fetch(`${service.url}${path}`, { method, ...options })
  return { status: reply.status, link: reply.headers.get('link'), body: await reply.text() }
}

/** The reply arrives before all of the body is read. */
const LARGE =
  'POST /pay/none/transaction HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{'

const json = { headers: { 'content-type': 'application/json' } }

test('every error that is answered outside /v1 names its section of the reference, which is there, and is in the derived document', async () => {
  const page = (await call(service, 'GET /docs/reference/errors')).text
  const { id } = await newCollection(await newMerchant(service))
  const answers: Record<string, () => Promise<Answer>> = {
    not_found: () => sent('GET /nothing'),
    method_not_allowed: () => sent('DELETE /.well-known/jwks.json'),
    collection_not_found: () => sent(`GET /pay/${newId()}/transaction`),
    session_asks_for_nothing: () => sent(`GET /pay/${id}/transaction`),
    body_malformed: () => sent(`POST /pay/${id}/transaction`, { ...json, body: '{' }),
    body_type: () => sent(`POST /pay/${id}/transaction`, { body: '{}' }),
    body_too_large: () => raw(LARGE),
    logo_not_found: () => sent(`GET /branding/logos/${'0'.repeat(64)}`),
    no_token: () => sent('POST /mcp', { ...json, body: '{}' }),
    foreign_origin: () => sent('POST /mcp', { headers: { origin: 'https://evil.example' } }),
    invalid_api_key: () => sent('POST /mcp', { headers: { authorization: 'Bearer svc_test_nothing' } }),
    cross_site: () => sent('POST /dashboard/api/session', { headers: { 'sec-fetch-site': 'cross-site' } }),
    request_malformed: () => raw('NONSENSE\r\n\r\n'),
    expectation_unknown: () => raw('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 200-ok\r\n\r\n'),
    headers_too_large: () => raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`),
  }
  for (const [code, answer] of Object.entries(answers)) {
    const { status, link, body } = await answer()
    const row = everyError().find((each) => each.code === code)
    expect([code, link?.match(HELP)?.[1], status, JSON.parse(body).message]).toEqual([
      code,
      code,
      row?.status,
      row?.message,
    ])
    expect([code, page.includes(`id="${code}"`)]).toEqual([code, true])
    expect([code, document.includes(`| ${status} | ${row?.message} | \`${code}\` |`)]).toEqual([code, true])
  }
})

test('the section of an error names the pages that answer it', async () => {
  const page = (await call(service, 'GET /docs/reference/errors')).text
  const pages = everyDomain.flatMap(({ api }) => api?.pages ?? [])
  const unnamed = pages.flatMap(({ method, path, errors = [] }) =>
    errors.filter(({ code }) => {
      const [, section = ''] = page.match(new RegExp(`<h2 id="${code}">(.*?)(?:<h2|</main)`, 's')) ?? []
      return !section.includes(`<code>${method} ${path}</code>`)
    }),
  )
  expect(unnamed).toEqual([])
  expect(pages.filter(({ errors }) => errors?.length).length).toBeGreaterThan(3)
})

test('each error has one row, and what an operation or a page declares is among the rows of its domain', () => {
  const rows = everyError()
  expect(rows.map(({ code }) => code)).toEqual([...new Set(rows.map(({ code }) => code))])
  const known = new Set(rows)
  const declared = [
    ...[...Object.values(commonErrors), ...Object.values(gatewayErrors)],
    ...operations.flatMap(({ operation }) => operation.meta.errors),
    ...everyDomain.flatMap(({ api }) => api?.pages ?? []).flatMap(({ errors = [] }) => errors),
  ]
  expect(declared.filter((row) => !known.has(row)).map(({ code }) => code)).toEqual([])
})
