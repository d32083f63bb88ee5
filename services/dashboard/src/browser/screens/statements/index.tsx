export { Statements as default } from './statements.tsx'
