import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openApiDocument } from './openapi.ts'
import type { Gateway } from './state.ts'
import { serveStatic } from './static-files.ts'

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
  serveStatic(router, '/v1/openapi.json', {
    type: 'application/json',
    content: () => JSON.stringify(openApiDocument()),
  })
  serveStatic(router, '/docs', { type: 'text/html', content: () => PAGE })
  serveStatic(router, '/docs/start.js', { type: 'text/javascript', content: () => START })
  for (const [name, type] of Object.entries(ASSETS))
    serveStatic(router, `/docs/${name}`, { type, cacheSeconds: 3600, content: () => readFile(join(directory, name)) })
}
