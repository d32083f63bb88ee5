import type { Client } from '@payments/client'
import type { ComponentType, ReactNode } from 'react'
import type { Money } from '../../parts/format.ts'
import type { Calls } from '../../parts/forms/change.tsx'
import type { TransactionKind } from '../../parts/lists/transactions.ts'

/** What its payer must do now: where to send how much, and until when. */
export interface Instruction {
  readonly text: string
  /** What is copied: an address or an account number. With `code`, also as a QR code. */
  readonly to: string
  readonly code?: boolean
  readonly amount?: Money | undefined
  readonly facts?: readonly Fact[]
  readonly until?: string | null | undefined
}

export type Fact = readonly [name: string, value: ReactNode]

type StatusOf<T> = T extends { readonly status: infer S extends string } ? S : never

/** A kind of payment: how it is listed, shown, created and followed. */
export interface Kind<T = unknown> {
  /** Path of its screens below the environment, such as `/offramps`. */
  readonly path: string
  /** What carries them: see {@link Missing}. */
  readonly needs: string
  readonly title: string
  /** One of them, in the middle of a sentence. */
  readonly one: string
  /** What it is for. */
  readonly teaches: string
  /** How it is listed: as transactions of this kind, of these assets … */
  readonly transactions?: {
    readonly kind: TransactionKind
    readonly assets: readonly string[]
    /** What stands for an amount of zero: what it may be. */
    readonly zero?: string
  }
  /** … or by a list of its own. */
  readonly List?: ComponentType<{ none: ReactNode }>
  read(api: Client, id: string): Promise<T>
  /** The path of the API that reads one. */
  readonly rest: string
  summary(of: T): {
    readonly id: string
    /** Absent where it has none, or none yet: then it has a name. */
    readonly amount?: Money
    readonly name?: string
    readonly status: string
    readonly to: string
    readonly createdAt: string
  }
  /** All states: the steps from creation to the end that is hoped for, and those beside this path. */
  readonly states: Readonly<Record<StatusOf<T>, 'step' | 'beside'>>
  instruction?(of: T): Instruction | undefined
  facts(of: T): readonly Fact[]
  /** In the sandbox: makes happen what is waited for. */
  readonly simulate?: Calls & {
    readonly label: string
    when(of: T): boolean
    run(api: Client, of: T): Promise<unknown>
  }
  readonly cancel?: Calls & {
    readonly label: string
    readonly question: string
    when(of: T): boolean
    run(api: Client, of: T): Promise<unknown>
  }
  readonly create?: Calls & { readonly Form: ComponentType<{ done: (id: string) => void }> }
  /** What belongs to it, below its facts. */
  readonly Parts?: ComponentType<{ of: T }>
}

/** Kinds in one list: what is read by one is shown by the same. */
// biome-ignore lint/suspicious/noExplicitAny: each kind's own type does not matter to a list of all of them
export type AnyKind = Kind<any>
