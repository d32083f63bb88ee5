import { escapeHtml, inline, layout, type NavigationItem } from '@payments/gateway'
import type { ErrorRow } from '@payments/kernel'
import type { Page } from '@payments/platform'
import type { Described, DescribedError, Interface } from '../described.ts'
import { SAMPLE_ADDRESS } from '../guides/guides.ts'
import { highlighter, tabLabel } from '../highlight.ts'
import { figure, tabs } from '../parts.ts'
import { fieldsOf, parametersOf } from './fields.ts'
import { type Example, exampleOf } from './preparation.ts'
import { samplesOf } from './samples.ts'

const ACCESS = {
  public: 'Needs no credential',
  session: 'Needs a dashboard session',
  key: 'Needs an API key',
} as const

/** What a caller does about an error of a status, where the operation does not say more. */
const ADVICE: Readonly<Record<ErrorRow['status'], string>> = {
  400: 'Correct the request; the same one fails again',
  401: 'Send a valid key or token',
  403: 'Use a credential that permits it',
  404: 'Check the id, and that it belongs to the environment of the key',
  405: 'Use a method of the header `Allow`',
  408: 'Send it again, without pauses',
  409: 'Read the object: its state does not permit this, or the same is being done',
  410: 'Use what has replaced it: see the changelog',
  413: 'Send less',
  415: 'Send JSON, not compressed',
  417: 'Send no such header',
  422: 'Correct the fields that `errors` names',
  429: 'Wait for `Retry-After` seconds, then repeat with the same `Idempotency-Key`',
  431: 'Send shorter headers',
  500: 'Repeat with the same `Idempotency-Key`; tell the operator the `X-Request-Id`',
  502: 'Repeat later with the same `Idempotency-Key`',
  503: 'Wait for `Retry-After` seconds, then repeat with the same `Idempotency-Key`',
}

const addressOf = (root: string, id: string): string => `${root}/${id}`
const methodOf = (method: string): string => `<span class="method ${method.toLowerCase()}">${method}</span>`

function navigation({ root, title, tags, events }: Interface) {
  const items: NavigationItem[] = [
    { path: root, title },
    ...tags.map((tag) => ({
      path: `${root}#${anchorOf(tag.name)}`,
      title: tag.name,
      links: tag.operations.map(({ id, summary }) => ({ path: addressOf(root, id), title: summary })),
    })),
    ...(events.length > 0 ? [{ path: `${root}/events`, title: 'Event types' }] : []),
    { path: `${root}/errors`, title: 'Errors' },
  ]
  return { label: title, items }
}

const anchorOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** The first page of the reference: every operation, by what it is about. */
export function indexPage(reference: Interface): string {
  const { root, title, tags, operations, events, audience } = reference
  const lists = tags.map(({ name, description, operations: own }) => {
    const rows = own.map(
      ({ id, method, url, summary }) =>
        `<li>${methodOf(method)} <a href="${addressOf(root, id)}">${escapeHtml(summary)}</a> <code>${escapeHtml(url)}</code></li>`,
    )
    return `<h2 id="${anchorOf(name)}">${escapeHtml(name)}</h2><p>${inline(description)}</p><ul class="operations">${rows.join('')}</ul>`
  })
  const document = audience === 'merchants' ? '/v1/openapi.json' : '/docs/operators.json'
  const swagger = audience === 'merchants' ? '/docs/swagger' : '/docs/swagger/operators'
  const told =
    events.length > 0 ? ` Also: the <a href="${root}/events">${events.length} types of events</a> and` : ' Also:'
  return layout({
    title,
    description: `${operations.length} operations with their fields, errors and samples`,
    current: root,
    navigation: navigation(reference),
    sections: tags.map(({ name }) => ({ id: anchorOf(name), title: name })),
    content: `<h1>${escapeHtml(title)}</h1>
<p>${operations.length} operations, each with its fields, replies, errors, samples in five languages, and a form that sends it.${told} the <a href="${root}/errors">errors</a>. For programs: the <a href="${document}">OpenAPI document</a>; it is also shown by <a href="${swagger}">Swagger UI</a>.</p>
${lists.join('\n')}`,
  })
}

/** The page of an operation. */
export async function operationPage(operation: Described, reference: Interface, baseUrl: string): Promise<string> {
  const { root, schemas } = reference
  const { summary, description, method, url, access, scope, roles, parameters, body, success, events, deprecated } =
    operation
  const highlight = await highlighter()
  const json = (label: string, value: unknown) =>
    value === undefined ? '' : figure('json', label, highlight(JSON.stringify(value, null, 2), 'json'))
  const section = (id: string, title: string, content: string) =>
    content && { id, title, html: `<h2 id="${id}">${title}</h2>\n${content}` }
  const inPlace = (place: string) => parameters.filter((each) => each.in === place)
  const lists = [
    ['path', 'Path'],
    ['query', 'Query'],
    ['header', 'Headers'],
  ].flatMap(([place = '', label]) => {
    const own = inPlace(place)
    return own.length > 0 ? [`<h3>${label}</h3>${parametersOf(own, schemas)}`] : []
  })
  const { data } = (success.schema.properties ?? {}) as { data?: Interface['schemas'][string] }
  const replied =
    success.type === 'application/json'
      ? `${data ? `<p>In <code>data</code> of the envelope:</p>${fieldsOf(data, schemas)}` : fieldsOf(success.schema, schemas)}${json('Reply', success.example)}`
      : `<p>A file or stream of the type <code>${success.type}</code>.</p>`
  const example = exampleOf(operation, reference.operations)
  const sections = [
    section('samples', 'Samples', samplesIn(operation, example, baseUrl, highlight)),
    section('parameters', 'Parameters', lists.join('')),
    section(
      'body',
      'Body',
      body ? `${fieldsOf(body.schema, schemas, { request: true })}${json('Body', body.example)}` : '',
    ),
    section('reply', 'Reply', `<p><strong>${success.status}</strong> ${inline(success.description)}</p>${replied}`),
    section('events', 'Events that follow', eventLinks(root, events)),
    section('errors', 'Errors', errorTable(root, operation.errors)),
    section('try', 'Try it', tryForm(operation, example)),
  ].filter((each) => each !== '')
  return layout({
    title: summary,
    description: description || summary,
    current: addressOf(root, operation.id),
    navigation: navigation(reference),
    sections,
    content: `<h1>${escapeHtml(summary)}</h1>
<p class="line">${methodOf(method)} <code>${escapeHtml(url)}</code></p>
${deprecated ? '<p><strong>Deprecated.</strong></p>' : ''}<p>${inline(description)}</p>
<p class="facts">${ACCESS[access]}${scope ? ` with the scope <code>${scope}</code>, or a dashboard session` : ''}${roles ? `. Roles of a session: ${roles.map((role) => `<code>${role}</code>`).join(', ')}` : ''}</p>
${sections.map(({ html }) => html).join('\n')}`,
  })
}

function samplesIn(
  operation: Described,
  { body }: Example,
  baseUrl: string,
  highlight: (code: string, language: string) => string,
): string {
  const filled = operation.url.replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(operation.parameters.find((each) => each.name === name)?.example ?? whole),
  )
  const samples = samplesOf({
    method: operation.method,
    path: filled,
    credential: operation.access !== 'public',
    keyed: operation.keyed,
    body: body && shownBody(body, operation.body?.example ?? {}),
    file: operation.success.type !== 'application/json',
  })
  return tabs(
    samples.map(({ language, code }) =>
      figure(language, tabLabel(language), highlight(code.replaceAll(SAMPLE_ADDRESS, baseUrl), language)),
    ),
  )
}

/** In a sample an id is the document's, in place of the value of a step. */
const shownBody = (body: object, example: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value === `{${name}}` ? example[name] : value]))

const eventLinks = (root: string, types: readonly string[]): string =>
  types.length === 0
    ? ''
    : `<ul>${types.map((type) => `<li><a href="${root}/events#${type}"><code>${type}</code></a></li>`).join('')}</ul>`

function errorTable(root: string, errors: readonly DescribedError[]): string {
  const rows = errors.map(
    ({ code, status, message }) =>
      `<tr><td>${status}</td><td><a href="${errorsRoot(root)}#${code}">${inline(message)}</a></td><td>${inline(ADVICE[status])}</td></tr>`,
  )
  return `<div class="table" tabindex="0" role="group" aria-label="Errors"><table><thead><tr><th>Status</th><th>Message</th><th>What to do</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

const errorsRoot = (root: string): string => `${root}/errors`

/** The form that sends the example. Nothing of it is shown where there is no script. */
function tryForm(operation: Described, { steps, url, body }: Example): string {
  const { method, access, keyed, parameters, success } = operation
  if (success.type === 'text/event-stream') return ''
  const inputs = parameters
    .filter((each) => each.in !== 'header')
    .map(
      ({ name, in: place }) =>
        `<label>${escapeHtml(name)} <input name="${place}:${escapeHtml(name)}" value="${place === 'path' && !url.includes(`{${name}}`) ? escapeHtml(url.split('/').at(operation.url.split('/').indexOf(`{${name}}`)) ?? '') : ''}" autocomplete="off" spellcheck="false"></label>`,
    )
  const credential =
    access === 'public'
      ? ''
      : `<label>${access === 'key' ? 'API key or access token' : 'Access token of a session'} <input name="credential" type="password" autocomplete="off" spellcheck="false" placeholder="${access === 'key' ? 'svc_test_…' : 'eyJ…'}"></label>`
  const prepared =
    steps.length > 0
      ? `<p>What you leave empty is made first, with a test key only: ${steps
          .filter(({ method: each }) => each !== 'GET')
          .map(({ method: each, url: at }) => `<code>${each} ${escapeHtml(at)}</code>`)
          .join(', ')}.</p>`
      : ''
  const data = escapeHtml(JSON.stringify({ method, url: operation.url, keyed, steps }))
  return `<form class="try" data-operation="${data}" action="/docs/reference">
<p>The request goes to the service that this page is from, each time with a new <code>Idempotency-Key</code>. The key is kept in this window only.</p>
${credential}${inputs.join('')}${body ? `<label>Body <textarea name="body" rows="${Math.min(18, JSON.stringify(body, null, 2).split('\n').length + 1)}" spellcheck="false">${escapeHtml(JSON.stringify(body, null, 2))}</textarea></label>` : ''}
${prepared}<button type="submit">Send</button>
<div class="result" role="status" tabindex="-1"></div>
</form>
<p class="scriptless">Sending from this page needs JavaScript; the samples above do the same.</p>`
}

/** Every event, with the body of a delivery: without colours, which would double the size of the page. */
export function eventsPage(reference: Interface): string {
  const { root, events, operations } = reference
  const parts = events.map(({ type, description, example }) => {
    const after = operations.filter((each) => each.events.includes(type))
    const links = after.map(({ id, summary }) => `<a href="${addressOf(root, id)}">${escapeHtml(summary)}</a>`)
    return `<h2 id="${type}"><code>${type}</code></h2><p>${inline(description)}</p>${links.length > 0 ? `<p>After: ${links.join(', ')}</p>` : ''}${example === undefined ? '' : `<details><summary>Body of a delivery of <code>${type}</code></summary>${figure('json', 'Event', escapeHtml(JSON.stringify(example, null, 2)))}</details>`}`
  })
  return layout({
    title: 'Event types',
    description: 'Types of the events that webhooks and the event stream carry',
    current: `${root}/events`,
    navigation: navigation(reference),
    sections: events.map(({ type }) => ({ id: type, title: type })),
    content: `<h1>Event types</h1>\n<p>What <a href="/docs/webhooks">webhooks</a> and <code>GET /v1/events/stream</code> carry.</p>\n${parts.join('\n')}`,
  })
}

/** Every error, with the operations and the pages outside `/v1` that answer it. The reply names its place here in the header `Link`. */
export function errorsPage(reference: Interface, known: readonly DescribedError[], pages: readonly Page[]): string {
  const { root, operations } = reference
  const parts = known.map(({ code, status, message }) => {
    const from = operations.filter(({ errors }) => errors.some((each) => each.code === code))
    const everywhere = from.length > operations.length / 2
    const links = from.map(({ id, summary }) => `<a href="${addressOf(root, id)}">${escapeHtml(summary)}</a>`)
    const outside = pages
      .filter(({ errors = [] }) => errors.some((each) => each.code === code))
      .map(({ method, path }) => `<code>${escapeHtml(`${method} ${path}`)}</code>`)
    const where = everywhere ? 'Any operation can answer this.' : [...links, ...outside].join(', ')
    return `<h2 id="${code}">${status} ${inline(message)}</h2><p>${inline(ADVICE[status])}.</p><p class="facts"><code>${code}</code> ${where}</p>`
  })
  return layout({
    title: 'Errors',
    description: 'Every error with its status, its message and what to do',
    current: errorsRoot(root),
    navigation: navigation(reference),
    content: `<h1>Errors</h1>
<p>Each reply with an error names its place on this page in the header <code>Link</code>, with <code>rel="help"</code>. See also the <a href="/docs/errors">guide to errors</a>.</p>
${parts.join('\n')}`,
  })
}
