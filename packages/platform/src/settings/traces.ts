import { type Attributes, context, type Span, type SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { ServiceError } from '@payments/kernel'

export { SpanKind as TraceKind } from '@opentelemetry/api'

/** Without a tracer provider (`services/gateway/src/internal/tracing.ts`) spans record nothing and cost next to nothing. */
const tracer = trace.getTracer('payments')

interface Traced {
  readonly kind?: SpanKind
  /** Ids, names and numbers only: traces leave the service. Never a body, an address of a person, a name or a secret. */
  readonly attributes?: Attributes
}

/**
 * Runs `work` in a span, which ends with it; spans that are started within it are its children. An error is recorded by its code or
 * name: its message may quote what a caller sent.
 */
export function traced<T>(name: string, options: Traced, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      failSpan(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** Marks a span as failed by an error. */
export function failSpan(span: Span, error: unknown): void {
  const type = error instanceof ServiceError ? error.code : error instanceof Error ? error.name : 'Error'
  span.setAttribute('error.type', type)
  // What the caller did wrong is no fault of the service.
  if (!(error instanceof ServiceError) || error.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
}

/** A span that the caller ends, with `work` run within it: for calls that may or may not be asynchronous. */
export function spanned<T>(name: string, options: Traced, work: () => T): { readonly span: Span; readonly result: T } {
  const span = tracer.startSpan(name, options)
  return { span, result: context.with(trace.setSpan(context.active(), span), work) }
}

/** The ids of the span in which this runs, for a log line; nothing outside of a recorded trace. */
export function traceIds(): object {
  const found = trace.getActiveSpan()?.spanContext()
  return found ? { traceId: found.traceId, spanId: found.spanId } : {}
}
