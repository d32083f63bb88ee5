/**
 * What one check of `payments doctor` found. `skipped`: it could not be looked at, because of something else that is wrong or because it
 * is not configured. Neither message nor action contains a secret.
 */
export interface Diagnosis {
  /** What was looked at, such as `paycrest: key`. */
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly message: string
  /** What to do about a warning or a failure. */
  readonly action?: string
}

/** The outcome of a check: a text where all is well. */
export type Found = string | Omit<Diagnosis, 'check'>

/** Runs a check. One that throws has failed, and `action` says what to do then. */
export async function diagnose(check: string, run: () => Promise<Found>, action?: string): Promise<Diagnosis> {
  try {
    const found = await run()
    return typeof found === 'string' ? { check, status: 'ok', message: found } : { check, ...found }
  } catch (error) {
    return { check, status: 'failed', message: (error as Error).message, ...(action ? { action } : {}) }
  }
}
