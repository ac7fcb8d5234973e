/*
 * The keeper: the daemon that writes the books and runs the swaps. Any process may be paused between two steps, so an old keeper may wake up
 * after another has taken over, and write what it had in mind.
 */
module keeper

/** A block of one chain of headers; a fork has two children of one parent. */
sig Block { parent: lone Block }
fact chain { one b: Block | no b.parent
             no b: Block | b in b.^parent }

/** The number of a lease. A new owner always draws a new one. */
sig Epoch {}

abstract sig Rule {}
one sig
  /** A unit of work counts only when its epoch is the lease's at its commit. */
  EpochCheck,
  /** The signed claim is durable before the first byte with the secret leaves. */
  JournalFirst,
  /** Without a journalled claim the gate is judged again, whatever was permitted before. */
  JudgeAgain
extends Rule {}
one sig Config { on: set Rule }

sig Process {
  /** The lease that this process believes it has. */
  var lease: lone Epoch,
  /** The head as it remembers it. */
  var position: lone Block,
  /** Permissions of the gate that it remembers, and claims that it knows to be journalled. */
  var mayClaim: lone Store
}
one sig Store {
  var epoch: lone Epoch,
  var head: one Block,
  var used: set Epoch
}
/** Durable: the gate was open. */
var sig Permitted in Store {}
/** Durable: the signed claim. */
var sig Journalled in Store {}

/* What really is. */
var sig GateOpen in Store {}
var sig SecretOut in Store {}
/** The claim was journalled while the gate was shut. */
var sig LateClaim in Store {}

pred on[r: Rule] { r in Config.on }
pred sameBooks { head' = head }
pred sameLease { epoch' = epoch and used' = used }
pred sameSwap { Permitted' = Permitted and Journalled' = Journalled and SecretOut' = SecretOut and LateClaim' = LateClaim }
pred sameMemory { lease' = lease and position' = position and mayClaim' = mayClaim }

pred init {
  no lease and no position and no mayClaim and no epoch and no used
  no Store.head.parent
  no Permitted and no Journalled and no SecretOut and no LateClaim
}

/** A new keeper: it reads everything anew. */
pred takeOver[p: Process] {
  some e: Epoch - Store.used {
    epoch' = Store -> e
    used' = used + Store -> e
    lease' = lease ++ p -> e
  }
  position' = position ++ p -> Store.head
  mayClaim' = mayClaim - p -> Store + p -> Journalled
  sameBooks and sameSwap and GateOpen' = GateOpen
}

pred unit[p: Process] {
  some p.lease
  on[EpochCheck] implies p.lease = Store.epoch
}

/** One block is connected to, or disconnected from, the position that the keeper remembers. */
pred write[p: Process] {
  unit[p]
  some b: Block {
    b.parent = p.position or b = p.position.parent
    head' = Store -> b
    position' = position ++ p -> b
  }
  lease' = lease and mayClaim' = mayClaim
  sameLease and sameSwap and GateOpen' = GateOpen
}

pred permit[p: Process] {
  unit[p]
  some GateOpen
  Permitted' = Store
  Journalled' = Journalled and SecretOut' = SecretOut and LateClaim' = LateClaim
  sameMemory and sameLease and sameBooks and GateOpen' = GateOpen
}

pred journal[p: Process] {
  unit[p]
  some Permitted
  on[JudgeAgain] implies some GateOpen
  Journalled' = Store
  LateClaim' = (some GateOpen implies LateClaim else Store)
  mayClaim' = mayClaim + p -> Store
  Permitted' = Permitted and SecretOut' = SecretOut
  lease' = lease and position' = position
  sameLease and sameBooks and GateOpen' = GateOpen
}

/** Outside the database: no epoch can fence it. */
pred reveal[p: Process] {
  on[JournalFirst] implies some p.mayClaim else (some p.lease and some Permitted)
  SecretOut' = Store
  Permitted' = Permitted and Journalled' = Journalled and LateClaim' = LateClaim
  sameMemory and sameLease and sameBooks and GateOpen' = GateOpen
}

pred timePasses { sameMemory and sameLease and sameBooks and sameSwap }

fact behaviour {
  init
  always (timePasses or (some p: Process | takeOver[p] or write[p] or permit[p] or journal[p] or reveal[p]))
}

pred safe {
  -- the head moves by one block at a time
  always (Store.head' = Store.head or Store.head'.parent = Store.head or Store.head' = Store.head.parent)
  -- no secret without a durable claim, and no claim is made late
  always (some SecretOut implies some Journalled)
  always no LateClaim
}

run keeperChanges { Config.on = Rule and eventually some SecretOut and eventually #Store.used > 1 and eventually some Store.head.parent } for 3 but 2 Process, 1..9 steps expect 1
check withoutEpochCheck { Config.on = Rule - EpochCheck implies safe } for 3 but 2 Process, 1..7 steps expect 1
check withoutJournalFirst { Config.on = Rule - JournalFirst implies safe } for 3 but 2 Process, 1..7 steps expect 1
check withoutJudgeAgain { Config.on = Rule - JudgeAgain implies safe } for 3 but 2 Process, 1..7 steps expect 1
check withAllRules { Config.on = Rule implies safe } for 3 but 2 Process, 1..8 steps expect 0
