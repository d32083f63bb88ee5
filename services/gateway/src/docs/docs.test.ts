import { expect, test } from 'vitest'
import { call, useService } from '#testing'
import { guides } from './guides.ts'

const service = useService({ settings: { BASE_URL: 'https://api.example.com' } })
const page = async (path: string) => (await call(service, `GET ${path}`)).text

test('every link of a guide leads to a page of this service, and to a section that is there', async () => {
  const texts = new Map<string, { status: number; text: string }>()
  const broken: string[] = []
  for (const { path } of guides()) {
    for (const [, href = ''] of (await page(path)).matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^https?:/.test(href)) continue
      const { pathname, hash } = new URL(href, `${service.url}${path}`)
      if (!texts.has(pathname)) texts.set(pathname, await call(service, `GET ${pathname}`))
      const target = texts.get(pathname)
      if (target?.status !== 200 || (hash && !target.text.includes(`id="${hash.slice(1)}"`)))
        broken.push(`${path}: ${href}`)
    }
  }
  expect([texts.size > guides().length, broken]).toEqual([true, []])
})

test('the pages of the documentation permit their own styles and scripts only, and nothing inline', async () => {
  for (const path of [...guides().map((guide) => guide.path), '/docs/reference', '/docs/operators']) {
    const { headers, text } = await call(service, `GET ${path}`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/default-src 'none'.*script-src 'self'; style-src 'self';/)
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/)
  }
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
