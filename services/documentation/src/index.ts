/** The documentation: guides, references and samples, written when the service is built. */
// Order, lowest first: guides, reference.
import { ADDRESS, type Audience } from '@payments/gateway'
import { derivedDocument } from './derived.ts'
import { describedInterface } from './described.ts'
import { guidePage } from './guides/guide-page.ts'
import { guideMarkdown, guides } from './guides/guides.ts'
import { llmsText } from './guides/llms.ts'
import { swaggerPage } from './guides/swagger-page.ts'
import { referencePage } from './reference/index.ts'
import { searchEntries } from './reference/search-entries.ts'

export { type Guide, guides, guideText, SAMPLE_ADDRESS } from './guides/guides.ts'
export { llmsText } from './guides/llms.ts'
export { type Translation, translationsOf } from './guides/samples/index.ts'

/** A file of the documentation: its address in the service, and what is served there. */
export interface Written {
  readonly path: string
  readonly type: string
  readonly content: string
}

/** The documentation as it is stored beside the service. */
export interface Documentation {
  /** In the order of the navigation. */
  readonly guides: readonly { readonly path: string; readonly title: string }[]
  readonly files: readonly Written[]
  /** What the search finds, as JSON. */
  readonly search: string
}

/**
 * Writes the documentation: guides as pages and as Markdown, both references, the OpenAPI documents and `/llms.txt`. Where the address of
 * the service is shown, it has `ADDRESS`. It loads compilers and highlighters, which no process that serves it needs.
 */
export async function writeDocumentation(): Promise<Documentation> {
  const files: Written[] = []
  const html = (path: string, content: string) => files.push({ path, type: 'text/html', content })
  for (const guide of guides()) {
    html(guide.path, await guidePage(guide, ADDRESS))
    files.push({ path: `${guide.path}.md`, type: 'text/markdown', content: guideMarkdown(guide, ADDRESS) })
  }
  const references: readonly [audience: Audience, document: string, swagger: string, title: string][] = [
    ['merchants', '/v1/openapi.json', '/docs/swagger', 'Swagger UI'],
    ['operators', '/docs/operators.json', '/docs/swagger/operators', 'Swagger UI for operators'],
  ]
  for (const [audience, document, swagger, title] of references) {
    const content = JSON.stringify(derivedDocument(audience))
    files.push({ path: document, type: 'application/json', content })
    html(swagger, swaggerPage(title, document))
    const { root, operations } = describedInterface(audience)
    for (const name of ['', 'errors', 'events', ...operations.map(({ id }) => id)]) {
      const page = await referencePage(audience, name, ADDRESS)
      if (page !== undefined) html(name === '' ? root : `${root}/${name}`, page)
    }
  }
  files.push({ path: '/llms.txt', type: 'text/plain', content: llmsText(derivedDocument('merchants')) })
  return {
    guides: guides().map(({ path, title }) => ({ path, title })),
    files,
    search: JSON.stringify(searchEntries()),
  }
}
