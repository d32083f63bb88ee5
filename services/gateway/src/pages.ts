import type { Process } from '@payments/api'
import type { Gateway } from './state.ts'

/** Mounts the pages outside `/v1` that domains declare. */
export function mountPages(router: Gateway, { runtime }: Process): void {
  for (const page of runtime.domains.flatMap(({ pages }) => pages ?? [])) {
    router.get(page.path.replace(/\{(\w+)\}/g, ':$1'), async (ctx) => {
      const { status, type, body, headers, framed } = await page.respond(runtime, {
        params: ctx.params,
        query: new URLSearchParams(ctx.querystring),
        header: (name) => ctx.get(name) || undefined,
        log: ctx.state.log,
      })
      // Browsers that know frame-ancestors ignore this header, but not all do.
      if (framed) ctx.remove('X-Frame-Options')
      ctx.status = status ?? 200
      ctx.type = type
      if (page.anyOrigin) ctx.set('Access-Control-Allow-Origin', '*')
      for (const [name, value] of Object.entries(headers ?? {})) ctx.set(name, value)
      ctx.body = body
    })
  }
}
