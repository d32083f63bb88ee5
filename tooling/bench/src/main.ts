import { benchHttp } from './http.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

await benchHttp(print)
