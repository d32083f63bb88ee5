import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer, connect as open, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The program in a terminal of its own, as a person runs it: what is typed goes through the terminal, Ctrl-C too. */
export async function terminal(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const command = [process.execPath, MAIN, ...args].map((each) => `'${each}'`).join(' ')
  const child = spawn('script', ['-qefc', `echo "pid=$$"; exec ${command}`, '/dev/null'], {
    env: { ...env, PATH: '/usr/bin:/bin', TERM: 'xterm-256color' },
  })
  let shown = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  const pid = await new Promise<number>((resolve, reject) => {
    const look = () => {
      const [, found] = shown.match(/pid=(\d+)/) ?? []
      if (found) resolve(Number(found))
      else child.stdout.once('data', look)
    }
    child.once('error', reject)
    look()
  })
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  })
  return {
    ended,
    shown: () => shown,
    type: (text: string) => void child.stdin.write(text),
    /** The machine sleeps: the program stands still, and its connections are not closed. */
    sleep: () => process.kill(pid, 'SIGSTOP'),
    wake: () => {
      process.kill(pid, 'SIGCONT')
      // The terminal has stopped with its program.
      child.kill('SIGCONT')
    },
  }
}

/** A network to a service that can be lost, with all its connections, and come back. */
export async function network(service: string) {
  const { hostname, port } = new URL(service)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = open({ host: hostname, port: Number(port) })
    for (const [own, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(own)
      own.on('error', () => other.destroy())
      own.on('close', () => {
        sockets.delete(own)
        other.destroy()
      })
      own.pipe(other)
    }
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const lose = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  onTestFinished(() => (server.listening ? lose() : undefined))
  return { url: `http://127.0.0.1:${own}`, lose, restore: () => listen(own) }
}
