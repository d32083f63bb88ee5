import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { assets as payAssets } from '@payments/pay'
import type { Audience } from '../openapi/document.ts'
import type { Gateway } from '../requests/state.ts'
import { DOCS_POLICY, guidePage } from './guide-page.ts'
import { guides, guideText } from './guides.ts'
import { referencePage } from './reference-page.ts'
import { serveStatic } from './static-files.ts'

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const own = new URL('../../assets/', import.meta.url).pathname
const ASSETS: Record<string, { directory: string; type: string }> = {
  'swagger-ui.css': { directory: swagger, type: 'text/css' },
  'swagger-ui-bundle.js': { directory: swagger, type: 'text/javascript' },
  'guides.css': { directory: own, type: 'text/css' },
  'guides.js': { directory: own, type: 'text/javascript' },
  'reference.css': { directory: own, type: 'text/css' },
  'reference.js': { directory: own, type: 'text/javascript' },
  'icon.svg': { directory: own, type: 'image/svg+xml' },
}

/**
 * Serves the documentation without external assets: the guides at `/docs`, as pages and as Markdown; the OpenAPI documents
 * and their interactive references; `/llms.txt`. `baseUrl` is called when a page is first read: the port may be known only then.
 */
export function mountDocs(router: Gateway, baseUrl: () => string): void {
  router.use('/docs', async (ctx, next) => {
    ctx.set('Content-Security-Policy', DOCS_POLICY)
    await next()
  })
  for (const guide of guides()) {
    serveStatic(router, guide.path, { type: 'text/html', content: () => guidePage(guide, baseUrl()) })
    serveStatic(router, `${guide.path}.md`, { type: 'text/markdown', content: () => guideText(guide, baseUrl()) })
  }
  // What writes the documents is loaded with the first that is read: most processes serve none.
  const document = (audience: Audience) => ({
    type: 'application/json',
    content: async () => JSON.stringify((await import('../openapi/document.ts')).openApiDocument(audience)),
  })
  serveStatic(router, '/v1/openapi.json', document('merchants'))
  serveStatic(router, '/docs/operators.json', document('operators'))
  const reference = (title: string, path: string) => ({
    type: 'text/html',
    content: () => referencePage(title, path),
  })
  serveStatic(router, '/docs/reference', reference('API reference', '/v1/openapi.json'))
  serveStatic(router, '/docs/operators', reference("Operators' reference", '/docs/operators.json'))
  serveStatic(router, '/llms.txt', {
    type: 'text/plain',
    content: async () => (await import('./llms.ts')).llmsText(),
  })
}

/** Serves the styles and scripts of pages: of the documentation, and of the pay page, which other sites may include. */
export function mountAssets(router: Gateway): void {
  for (const { path, type, read } of payAssets)
    serveStatic(router, path, { type, cacheSeconds: 300, anyOrigin: true, content: read })
  for (const [name, { directory, type }] of Object.entries(ASSETS))
    serveStatic(router, `/docs/${name}`, { type, cacheSeconds: 3600, content: () => readFile(join(directory, name)) })
}
