import { fill, fresh, prepare } from './try-it.js'

const RESET_MS = 2000
const LANGUAGE = 'docs-language'
/** Storage is refused to pages in some private windows. */
const remembered = (storage, name) => {
  try {
    return storage().getItem(name)
  } catch {
    return null
  }
}
const remember = (storage, name, value) => {
  try {
    storage().setItem(name, value)
  } catch {
    // It is chosen again on the next page.
  }
}
const local = () => globalThis.localStorage
const session = () => globalThis.sessionStorage

// A copy button on every code block. Without a clipboard (plain HTTP from another machine) there is none.
if (navigator.clipboard) {
  for (const figure of document.querySelectorAll('figure.code:not(.text)')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.setAttribute('aria-live', 'polite')
    button.addEventListener('click', async () => {
      const copied = await navigator.clipboard.writeText(`${figure.querySelector('code').textContent}\n`).then(
        () => true,
        () => false,
      )
      button.textContent = copied ? 'Copied' : 'Not copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, RESET_MS)
    })
    figure.querySelector('figcaption').append(button)
  }
}

// Tabs for code in several languages. All groups of a page show the same one, and the choice is remembered.
const groups = [...document.querySelectorAll('.tabs')].map((element) => {
  const figures = [...element.querySelectorAll('figure.code')]
  const list = document.createElement('div')
  list.className = 'languages'
  list.setAttribute('role', 'group')
  list.setAttribute('aria-label', 'Language')
  const buttons = figures.map((figure) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = figure.querySelector('figcaption span').firstChild.textContent.trim()
    button.addEventListener('click', () => {
      remember(local, LANGUAGE, figure.classList[1])
      choose(figure.classList[1])
    })
    list.append(button)
    return button
  })
  element.prepend(list)
  return { figures, buttons }
})
function choose(language) {
  for (const { figures, buttons } of groups) {
    const found = figures.findIndex((figure) => figure.classList.contains(language))
    const chosen = Math.max(found, 0)
    for (const [index, figure] of figures.entries()) figure.classList.toggle('chosen', index === chosen)
    for (const [index, button] of buttons.entries()) button.setAttribute('aria-pressed', String(index === chosen))
  }
}
choose(remembered(local, LANGUAGE) ?? 'sh')

// On a phone the list of guides is one line that scrolls sideways: show the current one.
const current = document.querySelector('.guides [aria-current]')
const list = current?.closest('.guides > ul')
if (list) {
  list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2
  list.scrollTop = current.offsetTop - list.clientHeight / 2
}

// The form that sends the example of an operation.
const form = document.querySelector('form.try')
if (form) {
  const operation = JSON.parse(form.dataset.operation)
  const { body, credential } = form.elements
  const result = form.querySelector('.result')
  if (credential) credential.value = remembered(session, 'docs-credential') ?? ''

  const send = async (method, url, content, keyed = true) => {
    const headers = {
      ...(credential?.value ? { Authorization: `Bearer ${credential.value}` } : {}),
      ...(keyed && method !== 'GET' ? { 'Idempotency-Key': crypto.randomUUID() } : {}),
      ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
    }
    const reply = await fetch(url, {
      method,
      headers,
      body: content === undefined ? undefined : JSON.stringify(content),
    })
    const text = await reply.text()
    const json = reply.headers.get('content-type')?.startsWith('application/json')
    return { status: reply.status, headers: reply.headers, text, body: json ? JSON.parse(text) : undefined }
  }
  const show = (title, text) => {
    const heading = document.createElement('p')
    const block = document.createElement('pre')
    heading.textContent = title
    block.textContent = text
    block.tabIndex = 0
    result.replaceChildren(heading, ...(text ? [block] : []))
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    button.disabled = true
    try {
      if (credential) {
        credential.value = credential.value.trim()
        remember(session, 'docs-credential', credential.value)
      }
      const fields = new FormData(form)
      const given = {}
      const query = new URLSearchParams()
      for (const [name, value] of fields) {
        if (value === '') continue
        if (name.startsWith('path:')) given[name.slice(5)] = value
        if (name.startsWith('query:')) query.set(name.slice(6), value)
      }
      const wanted = `${operation.url} ${body?.value ?? ''}`.match(/\{\w+\}/g) ?? []
      const lacks = wanted.some((each) => given[each.slice(1, -1)] === undefined)
      let values = given
      if (lacks && operation.steps.length > 0 && !credential?.value.startsWith('svc_live_')) {
        show('Making what the example needs…', '')
        values = { ...(await prepare(operation.steps, send)), ...given }
      }
      const search = query.size > 0 ? `?${query}` : ''
      const content = body ? fresh(fill(JSON.parse(body.value), values)) : undefined
      const encoded = Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)]),
      )
      const url = `${fill(operation.url, encoded)}${search}`
      const reply = await send(operation.method, url, content, operation.keyed)
      const shown = reply.body ? JSON.stringify(reply.body, null, 2) : reply.text.slice(0, 10_000)
      show(`${operation.method} ${url}: ${reply.status}`, shown)
    } catch (error) {
      show(String(error.message), '')
    } finally {
      button.disabled = false
      result.focus()
    }
  })
}
