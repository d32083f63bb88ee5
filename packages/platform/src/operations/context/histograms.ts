import { Histogram } from 'prom-client'

/** What a process measures of its own work. The internal server reports them; they are in no registry until then. */
export const histograms = {
  /** Each call of a provider. */
  providerCalls: new Histogram({
    name: 'provider_call_duration_seconds',
    help: 'Time of a call of a provider, by its outcome: succeeded, refused (the answer is the caller’s error) or failed',
    labelNames: ['environment', 'provider', 'operation', 'outcome'] as const,
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [],
  }),
  /** Each move of an object to another status. */
  statuses: new Histogram({
    name: 'object_status_seconds',
    help: 'How long an object was unchanged in a status before it moved on, by its table, its provider and the statuses',
    labelNames: ['environment', 'object', 'provider', 'status', 'next'] as const,
    buckets: [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400],
    registers: [],
  }),
  /** Each event whose first attempt of delivery was answered with a 2xx. */
  arrivals: new Histogram({
    name: 'webhook_arrival_seconds',
    help: 'From an event to the 2xx of its receiver, of deliveries that the first attempt delivered',
    labelNames: ['environment'] as const,
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [],
  }),
}
