import type { Json } from '@payments/gateway'
import { guides } from './guides.ts'

type Operation = { readonly summary: string; readonly tags?: readonly string[] }

/**
 * `/llms.txt` (llmstxt.org): what a program that reads text needs to find its way, with the guides as Markdown and every
 * operation of the merchants' document.
 */
export function llmsText(merchants: Json): string {
  const document = merchants as {
    info: { title: string; description: string }
    tags: { name: string; description: string }[]
    paths: Record<string, Record<string, Operation>>
  }
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, tags }]) => ({
      tag: tags?.[0],
      line: `- \`${method.toUpperCase()} ${path === '/health' ? path : `/v1${path}`}\`: ${summary}`,
    })),
  )
  const operations = document.tags.map(({ name, description }) => {
    const own = all.filter(({ tag }) => tag === name).map(({ line }) => line)
    return `### ${name}\n\n${description}\n\n${own.join('\n')}`
  })
  const plain = (text: string) => text.replace(/\]\([\w-]+\.md(?:#[\w-]+)?\)/g, '').replaceAll('[', '')
  return `# ${document.info.title}

> ${document.info.description}

## Guides

${guides()
  .map(({ path, title, summary }) => `- [${title}](${path}.md): ${plain(summary)}`)
  .join('\n')}

## Reference

- [OpenAPI document](/v1/openapi.json): every operation, with schemas, examples, errors and webhooks
- [Interactive reference](/docs/reference): the same for people

## Operations

${operations.join('\n\n')}
`
}
