import { seededRandom } from './random.js'
import type { SimulatedRun } from './simulated-run.js'
import { spread, type Spread } from './statistics.js'
import type { Traffic } from './traffic.js'

/** A load generator: its CPU use in percent, of the whole machine and of the engine alone. */
export interface AgentFigures {
  name: string
  totalCpuUsage: Spread
  cpuUsage: Spread
  /** Short garbage collections; full ones do not happen here. */
  minorCollections: number
  transactions: number
  transactionErrors: number
}

const samples = 120
/** Percent. */
const meanCpu = 42

/** The summary covers the samples of all agents. */
export function agentFigures(
  run: SimulatedRun,
  traffic: Traffic,
): { agents: AgentFigures[]; agentSummary: AgentFigures } {
  const total: number[] = []
  const own: number[] = []
  const agents = traffic.agents.map((name, index) => {
    const random = seededRandom(run.seed, `agent-${index}`)
    const cpu = Array.from({ length: samples }, () =>
      Math.min(100, Math.max(0.5, meanCpu * (1 + 0.09 * random.normal()))),
    )
    const engine = cpu.map((value) => value * (0.7 + 0.08 * random.next()))
    total.push(...cpu)
    own.push(...engine)
    const transactions = traffic.transactions.filter((transaction) => transaction.agent === index)
    return {
      name,
      totalCpuUsage: spread(cpu),
      cpuUsage: spread(engine),
      minorCollections: random.between(48, 72),
      transactions: transactions.length,
      transactionErrors: transactions.filter((transaction) => transaction.failed).length,
    }
  })
  const sum = (pick: (agent: AgentFigures) => number) => agents.reduce((all, agent) => all + pick(agent), 0)
  return {
    agents,
    agentSummary: {
      name: 'All Agents',
      totalCpuUsage: spread(total),
      cpuUsage: spread(own),
      minorCollections: sum((agent) => agent.minorCollections),
      transactions: sum((agent) => agent.transactions),
      transactionErrors: sum((agent) => agent.transactionErrors),
    },
  }
}
