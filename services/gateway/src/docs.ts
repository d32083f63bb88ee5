import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openApiDocument } from './openapi.ts'
import type { Gateway } from './state.ts'

const directory = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const ASSETS: Record<string, string> = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' }

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payments API</title><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="reference"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`
const START =
  "SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'list', persistAuthorization: false })\n"

/** Serves the OpenAPI document at `/v1/openapi.json` and the interactive reference at `/docs`, without external assets. */
export function mountDocs(router: Gateway): void {
  let document: string | undefined
  router.get('/v1/openapi.json', (ctx) => {
    document ??= JSON.stringify(openApiDocument())
    ctx.type = 'application/json'
    ctx.body = document
  })
  router.get('/docs', (ctx) => {
    ctx.type = 'text/html'
    ctx.body = PAGE
  })
  router.get('/docs/start.js', (ctx) => {
    ctx.type = 'text/javascript'
    ctx.body = START
  })
  for (const [name, type] of Object.entries(ASSETS)) {
    router.get(`/docs/${name}`, async (ctx) => {
      ctx.type = type
      ctx.set('Cache-Control', 'public, max-age=3600')
      ctx.body = await readFile(join(directory, name))
    })
  }
}
