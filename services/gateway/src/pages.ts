import type { Process } from '@payments/api'
import type { Gateway } from './state.ts'

/** Mounts the pages outside `/v1` that domains declare. */
export function mountPages(router: Gateway, { runtime }: Process): void {
  for (const page of runtime.domains.flatMap(({ pages }) => pages ?? [])) {
    router.get(page.path.replace(/\{(\w+)\}/g, ':$1'), async (ctx) => {
      const { status, type, body, headers } = await page.respond(runtime, {
        params: ctx.params,
        log: ctx.state.log,
      })
      ctx.status = status ?? 200
      ctx.type = type
      if (page.anyOrigin) ctx.set('Access-Control-Allow-Origin', '*')
      for (const [name, value] of Object.entries(headers ?? {})) ctx.set(name, value)
      ctx.body = body
    })
  }
}
