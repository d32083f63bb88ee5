import { operations } from '@payments/gateway'
import { errors as commonErrors } from '@payments/kernel'
import { expect, test } from 'vitest'
import { call, newCollection, newMerchant, useArtefact } from '#testing'
import { describedInterface } from './described.ts'
import { guides } from './guides/guides.ts'

const service = useArtefact({ settings: { BASE_URL: 'https://api.example.com' } })
const page = async (path: string) => (await call(service, `GET ${path}`)).text

/** The greatest page of the reference, uncompressed. */
const PAGE_BYTES = 150_000

test('every page of the documentation is reached by links, each link leads to a section that is there, and nothing is inline', async () => {
  const pages = new Map<string, { status: number; text: string }>()
  // Every page has the links of the navigation: each is followed once, and named by the page on which it was found first.
  const links = new Map<string, { readonly on: string; readonly pathname: string; readonly hash: string }>()
  const followed = new Set(['/docs'])
  for (const path of followed) {
    // To compress 600 pages, and to read them, takes longer than to make them.
    const { status, headers, text } = await call(service, `GET ${path}`, { headers: { 'accept-encoding': 'identity' } })
    pages.set(path, { status, text })
    const policy = headers.get('content-security-policy') ?? ''
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    expect([path, policy]).toEqual([
      path,
      expect.stringMatching(/default-src 'none'.*script-src 'self'; style-src 'self';/),
    ])
    expect(policy).not.toContain('unsafe')
    expect([path, text.match(/<style|<script(?![^>]* src=)|<[^>]+\s(?:style|on\w+)=/)]).toEqual([path, null])
    expect([path, text.length < PAGE_BYTES]).toEqual([path, true])
    for (const [, href = ''] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^https?:/.test(href) || links.has(href)) continue
      const { pathname, hash } = new URL(href, `${service.url}${path}`)
      links.set(`${pathname}${hash}`, { on: path, pathname, hash })
      followed.add(pathname)
    }
  }
  const broken = [...links].filter(([, { pathname, hash }]) => {
    const target = pages.get(pathname)
    return target?.status !== 200 || (hash && !target.text.includes(`id="${hash.slice(1)}"`))
  })
  expect(broken.map(([link, { on }]) => `${on}: ${link}`)).toEqual([])
  const all = describedInterface('merchants').operations
  const unreached = [...guides().map((guide) => guide.path), ...all.map(({ id }) => `/docs/reference/${id}`)]
  expect(unreached.filter((path) => !pages.has(path))).toEqual([])
})

test('an error names its section of the reference, which is there', async () => {
  const text = await page('/docs/reference/errors')
  for (const path of ['/v1/nothing', '/v1/customers', '/v1/admin/ops/approvals']) {
    const { headers } = await call(service, `GET ${path}`, { token: null })
    const [, anchor = ''] = headers.get('link')?.match(/^<\/docs\/reference\/errors#(\w+)>; rel="help"$/) ?? []
    expect([path, text.includes(`id="${anchor}"`)]).toEqual([path, true])
  }
  const rows = [...Object.values(commonErrors), ...operations.flatMap(({ operation }) => operation.meta.errors)]
  expect(rows.filter(({ code }) => !text.includes(`id="${code}"`)).map(({ code }) => code)).toEqual([])
})

test('the search finds guides, operations, events and errors by the beginnings of words, and shows what was asked as text', async () => {
  const first = async (query: string) =>
    (await page(`/docs/search?q=${encodeURIComponent(query)}`)).match(/<main[\s\S]*?<a href="([^"]+)"/)?.[1]
  expect([
    await first('create payment route'),
    await first('verify signature'),
    await first('payment_route.deposit.updated'),
    await first('already active'),
  ]).toEqual([
    '/docs/reference/paymentRoutes.create',
    expect.stringMatching(/^\/docs\/webhooks/),
    '/docs/reference/events#payment_route.deposit.updated',
    '/docs/reference/errors#payment_route_active',
  ])
  expect([await first(''), await first('create zzz')]).toEqual([undefined, undefined])
  const odd = await page(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect([odd.includes('<script>alert'), odd.includes('<h1>Search</h1>')]).toEqual([false, true])
})

test('samples show the public address of the service, on the page and as Markdown', async () => {
  for (const path of ['/docs/quick-start', '/docs/quick-start.md']) {
    const text = await page(path)
    expect([text.includes('https://api.example.com/v1'), text.includes('127.0.0.1:4000')]).toEqual([true, false])
  }
})

test('a guide as Markdown holds the files that its page shows', async () => {
  const text = await page('/docs/webhooks.md')
  expect(text).toContain('```php verify.php\n<?php')
  expect(text).not.toMatch(/^\[[^\]]+\]\(\.\.\//m)
})

test('every link of a guide, as a page and as Markdown, of the reference and of llms.txt leads to something', async () => {
  const seen = new Set<string>()
  const lost: string[] = []
  const open = ['/docs', '/docs.md', '/docs/reference', '/docs/operators', '/llms.txt']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const reply = await fetch(`${service.url}${path}`)
    const text = await reply.text()
    if (reply.status !== 200) lost.push(`${path}: ${reply.status}`)
    // Pages of single operations lead to one another: their links are read where they are listed.
    if (!/^\/(docs(\.md|\/[\w-]+(\.md)?|\/(reference|operators))?|llms\.txt)$/.test(path)) continue
    const links = /^\/llms|\.md$/.test(path)
      ? text.replace(/```[\s\S]*?```|`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)
      : text.matchAll(/ href="([^"]+)"/g)
    for (const [, link = ''] of links) {
      const { origin, pathname } = new URL(link, `https://api.example.com${path}`)
      if (origin === 'https://api.example.com' && !pathname.startsWith('/v1')) open.push(pathname)
    }
  }
  expect(lost).toEqual([])
  expect(seen.size).toBeGreaterThan(200)
}, 60_000)

test('/llms.txt lists every guide and every operation of the merchants', async () => {
  const text = await page('/llms.txt')
  const document = JSON.parse(await page('/v1/openapi.json')) as { paths: Record<string, object> }
  for (const { path } of guides()) expect(text).toContain(`](${path}.md)`)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) =>
      method === 'servers' ? [] : `- \`${method.toUpperCase()} ${path === '/health' ? path : `/v1${path}`}\``,
    ),
  )
  expect(operations.filter((line) => !text.includes(line))).toEqual([])
})

test('the script of a pay page is kept for a year under the digest of its content, and shortly under any other address', async () => {
  const { id } = await newCollection(await newMerchant(service))
  const text = await page(`/pay/${id}`)
  const [, address = ''] = text.match(/<script type="module" src="([^"]+)"/) ?? []
  expect(address).toMatch(/^\/pay\/page\.js\?v=[\w-]{27}$/)
  const cachedAt = async (path: string) => (await fetch(`${service.url}${path}`)).headers.get('cache-control')
  expect(await cachedAt(address)).toBe('public, max-age=31536000, immutable')
  for (const other of ['/pay/page.js', '/pay/page.js?v=other', `${address.slice(0, -1)}!`, '/embed.js'])
    expect([other, await cachedAt(other)]).toEqual([other, 'public, max-age=300'])
})
