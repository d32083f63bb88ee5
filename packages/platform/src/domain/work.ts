import type { Change } from '@payments/kernel'
import type { CommitStatement, Runtime } from '../operations/context/context.ts'
import type { Job } from '../work/jobs.ts'
import type { Task } from '../work/tasks.ts'

/** A type of notification: users choose per type what they see and what they get as an email. */
export interface NotificationType {
  readonly description: string
  /** True if members get an email unless they turned it off. */
  readonly email: boolean
}

/** The notification that a change creates. */
export interface ChangeNotification {
  /** `<subject>.<event>`, for example `money.received`; a domain declares it in `notificationTypes`. */
  readonly type: string
  readonly title: string
  /** Type of the resource that the notification refers to. */
  readonly resource: string
  /** Written from the resource as its GET shows it (`data`) or, if it appears there, its entry of the unified list. */
  body(change: Change): string
}

/** A notification, or a function that chooses one for the change; undefined: none. */
export type DeclaredNotification = ChangeNotification | ((change: Change) => ChangeNotification | undefined)

/** What a recorder adds to the transaction of a change. `trigger` names a task to run after the commit. */
export interface Recorded extends CommitStatement {
  readonly trigger?: string
}

/** Turns a change into statements of the same transaction. Pure: it reads nothing and calls nothing. */
export type Recorder = (change: Change, runtime: Pick<Runtime, 'domains' | 'orm'>) => readonly Recorded[]

/** What a domain does beside answering requests: in the background, and when an object of any domain changes. */
export interface WorkDeclaration {
  /** Work that belongs to one object, or happens on a schedule of minutes or longer. */
  // biome-ignore lint/suspicious/noExplicitAny: each job checks its own data
  readonly jobs?: readonly Job<any>[]
  /** Work that must be done within a second, or is claimed in batches. */
  readonly tasks?: readonly Task[]
  /** What it adds to the transaction in which an object of any domain changes. */
  readonly recorder?: Recorder
  /** What users are notified of: event type → status → notification. */
  readonly notifications?: Readonly<Record<string, Readonly<Record<string, DeclaredNotification>>>>
  /** The types of notifications that this domain is the first to send, by name. */
  readonly notificationTypes?: Readonly<Record<string, NotificationType>>
}
