/*
 * Several daemons that run payments over one database which can go back in time.
 *
 * A step is what one process does without being interrupted; between two steps any process may pause for as long as it likes, so a pause needs
 * no step of its own. A broadcast happens outside the database and is fenced by nothing. Each rule can be switched off: with all rules no
 * counterexample may be found, without any one of them there must be one.
 */
module spends

sig Token {}
sig Coin {}

/** The bytes of one payment. Built once, by one process; other processes can only repeat them. */
sig Tx {
  pays: one Token,
  spends: some Coin
}

/** A row of the table of commits: an atom is used once, because a commit carries a random number. */
sig Commit {}

abstract sig Rule {}
one sig
  /** A payment is judged on the rows as they are under the store's lock, not on a cache. */
  StoreLock,
  /** "It never left" is only said by the process that runs the row, of a row that no other process ever ran. */
  RunnerCheck,
  /** Coins are freed only when each process that may still send the bytes has signed the row off. */
  SignOff,
  /** A process is declared off only when it is dead. */
  ForgetOnlyDead,
  /** A broadcast waits for the line in the process's own sent.log, and a restored store is completed from these files. */
  SentLog,
  /** A process that adopts a row writes it into its own sent.log as well. */
  AdopterLogs,
  /** A process writes again after a break of its connection only when its newest commit is still there. */
  CommitCheck,
  /** After the server was started again, nobody writes until every registered process has found its newest commit. */
  AllCheck,
  /** A process that hands over its sent.log forgets the payments that the file does not name. */
  HandOver,
  /** Of several restored payments that share a token or a coin none is sent until the operator chooses. */
  OperatorChooses
extends Rule {}

one sig Config { on: set Rule }

sig Process {
  /** Payments in memory that this process may still broadcast. */
  var holds: set Tx,
  /** Payments that it has broadcast, in memory. */
  var did: set Tx,
  /** Lines of its sent.log: payments that it may have sent ... */
  var log: set Tx,
  /** ... and those of which it wrote that it never sent them and never will, or that it signed them off. */
  var logReleased: set Tx,
  /** Lines that say: abandoned, the coins are free. */
  var logAbandoned: set Tx,
  /** Open rows as its caches had them when it last read. */
  var cache: set Tx,
  /** Its newest commit that was confirmed. */
  var newest: lone Commit
}
var sig Alive in Process {}
/** Processes that have looked for their newest commit since the server was last started. */
var sig Checked in Process {}

one sig Store {
  /** Token bound, coins held, may be sent by its runner. */
  var live: set Tx,
  /** Token bound, coins held, sent by nobody until the operator has chosen. */
  var blocked: set Tx,
  /** Token bound, coins free. */
  var abandoned: set Tx,
  /** The process that runs the row. */
  var runner: Tx -> Process,
  /** Rows that had another runner before. */
  var adopted: set Tx,
  /** Processes that may still send the bytes: they have not signed the row off. */
  var maySend: Tx -> Process,
  var commits: set Commit
}
/** The copy that a restore, or a standby that lags, comes back with. */
one sig Copy {
  var cLive: set Tx,
  var cBlocked: set Tx,
  var cAbandoned: set Tx,
  var cRunner: Tx -> Process,
  var cAdopted: set Tx,
  var cMaySend: Tx -> Process,
  var cCommits: set Commit
}
/** Spending has stopped until the operator restores. */
var sig Stopped in Store {}

/* What really happened; no process and no database knows it. */
var sig Built in Tx {}
var sig Sent in Tx {}
var sig Freed in Tx {}
var sig SentAfterFreed in Tx {}
var sig FailedAfterSent in Tx {}

pred on[r: Rule] { r in Config.on }
fun sharing[x: Tx]: set Tx { { y: Tx - x | y.pays = x.pays or some y.spends & x.spends } }

pred sameStore {
  live' = live and blocked' = blocked and abandoned' = abandoned and runner' = runner and adopted' = adopted and maySend' = maySend
  commits' = commits
}
pred sameCopy {
  cLive' = cLive and cBlocked' = cBlocked and cAbandoned' = cAbandoned and cRunner' = cRunner and cAdopted' = cAdopted
  cMaySend' = cMaySend and cCommits' = cCommits
}
pred sameMemory { holds' = holds and did' = did and cache' = cache and newest' = newest and Alive' = Alive }
pred sameLogs { log' = log and logReleased' = logReleased and logAbandoned' = logAbandoned }
pred sameServer { Checked' = Checked and Stopped' = Stopped }
pred sameTruth { Built' = Built and Sent' = Sent and Freed' = Freed and SentAfterFreed' = SentAfterFreed and FailedAfterSent' = FailedAfterSent }

/** Whether {p} may begin a writing transaction now. */
pred writes[p: Process] {
  p in Alive
  no Stopped
  on[CommitCheck] implies p in Checked
  on[AllCheck] implies Process in Checked
}
/** A writing transaction of {p}: its commit is new, and confirmed to {p}. */
pred commit[p: Process] {
  some c: Commit - Store.commits - Copy.cCommits - Process.newest {
    commits' = commits + Store -> c
    newest' = newest ++ p -> c
  }
}

pred init {
  no holds and no did and no log and no logReleased and no logAbandoned and no cache and no newest
  Alive = Process and Checked = Process and no Stopped
  no live and no blocked and no abandoned and no runner and no adopted and no maySend and no commits
  no cLive and no cBlocked and no cAbandoned and no cRunner and no cAdopted and no cMaySend and no cCommits
  no Built and no Sent and no Freed and no SentAfterFreed and no FailedAfterSent
}

pred read[p: Process] {
  p in Alive
  cache' = cache ++ p -> Store.live
  holds' = holds and did' = did and newest' = newest and Alive' = Alive
  sameStore and sameCopy and sameLogs and sameServer and sameTruth
}

/** The durable intent. */
pred openRow[p: Process, x: Tx] {
  writes[p]
  x not in Built
  let rows = on[StoreLock] implies Store.live else p.cache {
    no y: rows + Store.blocked + Store.abandoned | y.pays = x.pays
    no y: rows + Store.blocked | some y.spends & x.spends
  }
  live' = live + Store -> x
  runner' = runner + Store -> x -> p
  maySend' = maySend + Store -> x -> p
  commit[p]
  holds' = holds + p -> x
  Built' = Built + x
  blocked' = blocked and abandoned' = abandoned and adopted' = adopted
  did' = did and cache' = cache and Alive' = Alive
  Sent' = Sent and Freed' = Freed and SentAfterFreed' = SentAfterFreed and FailedAfterSent' = FailedAfterSent
  sameCopy and sameLogs and sameServer
}

/** The fsync of sent.log, beside the commit and perhaps long after it. */
pred append[p: Process, x: Tx] {
  p in Alive
  x in p.holds - p.log
  log' = log + p -> x
  logReleased' = logReleased and logAbandoned' = logAbandoned
  sameMemory and sameStore and sameCopy and sameServer and sameTruth
}

pred send[p: Process, x: Tx] {
  p in Alive
  x in p.holds
  on[SentLog] implies (on[AdopterLogs] implies x in p.log else x in Process.log)
  did' = did + p -> x
  Sent' = Sent + x
  SentAfterFreed' = SentAfterFreed + (x & Freed)
  holds' = holds and cache' = cache and newest' = newest and Alive' = Alive
  Built' = Built and Freed' = Freed and FailedAfterSent' = FailedAfterSent
  sameStore and sameCopy and sameLogs and sameServer
}

/** {p} decides never to send what it has not sent; the line is on the disk before anything else follows. */
pred release[p: Process, x: Tx] {
  p in Alive
  x in p.holds - p.did
  holds' = holds - p -> x
  logReleased' = logReleased + p -> x
  did' = did and cache' = cache and newest' = newest and Alive' = Alive
  log' = log and logAbandoned' = logAbandoned
  sameStore and sameCopy and sameServer and sameTruth
}

/** "It never left": token and coins are free. */
pred fail[p: Process, x: Tx] {
  writes[p]
  x in p.logReleased - p.did - p.holds
  x in Store.live
  on[RunnerCheck] implies (Store.runner[x] = p and x not in Store.adopted)
  live' = live - Store -> x
  runner' = runner - Store -> x -> Process
  maySend' = maySend - Store -> x -> Process
  commit[p]
  Freed' = Freed + x
  FailedAfterSent' = FailedAfterSent + (x & Sent)
  blocked' = blocked and abandoned' = abandoned and adopted' = adopted
  holds' = holds and did' = did and cache' = cache and Alive' = Alive
  Built' = Built and Sent' = Sent and SentAfterFreed' = SentAfterFreed
  sameCopy and sameLogs and sameServer
}

/** By the keeper, or because the caller repeats the token at another daemon: the same bytes, never new ones. */
pred adopt[q: Process, x: Tx] {
  writes[q]
  x in Store.live
  Store.runner[x] != q or x not in q.holds
  runner' = runner ++ Store -> x -> q
  adopted' = adopted + Store -> x
  maySend' = maySend + Store -> x -> q
  commit[q]
  holds' = holds + q -> x
  live' = live and blocked' = blocked and abandoned' = abandoned
  did' = did and cache' = cache and Alive' = Alive
  sameCopy and sameLogs and sameServer and sameTruth
}

/** {p} sends the bytes no more; the line in its own file is forced before the row says so. */
pred signOff[p: Process, x: Tx] {
  writes[p]
  x in Store.live and p in Store.maySend[x]
  holds' = holds - p -> x
  logReleased' = logReleased + p -> x
  maySend' = maySend - Store -> x -> p
  commit[p]
  live' = live and blocked' = blocked and abandoned' = abandoned and runner' = runner and adopted' = adopted
  did' = did and cache' = cache and Alive' = Alive
  log' = log and logAbandoned' = logAbandoned
  sameCopy and sameServer and sameTruth
}

/** The operator declares a process off. */
pred forget[p: Process] {
  on[ForgetOnlyDead] implies p not in Alive
  no Stopped and some Store.maySend.p
  maySend' = maySend - Store -> Tx -> p
  live' = live and blocked' = blocked and abandoned' = abandoned and runner' = runner and adopted' = adopted and commits' = commits
  sameMemory and sameCopy and sameLogs and sameServer and sameTruth
}

/** The line first, then the row. */
pred abandonLine[q: Process, x: Tx] {
  q in Alive
  x in Store.live - q.holds - q.logAbandoned
  logAbandoned' = logAbandoned + q -> x
  log' = log and logReleased' = logReleased
  sameMemory and sameStore and sameCopy and sameServer and sameTruth
}
pred abandon[q: Process, x: Tx] {
  writes[q]
  x in Store.live & q.logAbandoned - q.holds
  on[SignOff] implies no Store.maySend[x]
  live' = live - Store -> x
  abandoned' = abandoned + Store -> x
  commit[q]
  Freed' = Freed + x
  blocked' = blocked and runner' = runner and adopted' = adopted and maySend' = maySend
  holds' = holds and did' = did and cache' = cache and Alive' = Alive
  Built' = Built and Sent' = Sent and SentAfterFreed' = SentAfterFreed and FailedAfterSent' = FailedAfterSent
  sameCopy and sameLogs and sameServer
}

pred die[p: Process] {
  p in Alive
  Alive' = Alive - p
  holds' = holds - p -> Tx and did' = did - p -> Tx and cache' = cache - p -> Tx
  newest' = newest
  sameStore and sameCopy and sameLogs and sameServer and sameTruth
}

pred copy {
  cLive' = Copy -> Store.live and cBlocked' = Copy -> Store.blocked and cAbandoned' = Copy -> Store.abandoned
  cRunner' = Copy -> Store.runner and cAdopted' = Copy -> Store.adopted and cMaySend' = Copy -> Store.maySend
  cCommits' = Copy -> Store.commits
  sameStore and sameMemory and sameLogs and sameServer and sameTruth
}
/** The database is the copy again, and all connections are new. Nobody tells the daemons. */
pred goBack {
  no Stopped
  live' = Store -> Copy.cLive and blocked' = Store -> Copy.cBlocked and abandoned' = Store -> Copy.cAbandoned
  runner' = Store -> Copy.cRunner and adopted' = Store -> Copy.cAdopted and maySend' = Store -> Copy.cMaySend
  commits' = Store -> Copy.cCommits
  no Checked' and Stopped' = Stopped
  sameCopy and sameMemory and sameLogs and sameTruth
}
/** {p}, alive or started again over its datadir, looks for its newest commit. */
pred lookUp[p: Process] {
  no Stopped and p not in Checked
  p.newest in Store.commits
    implies (Checked' = Checked + p and Stopped' = Stopped)
    else (Stopped' = Store and Checked' = Checked)
  sameMemory and sameStore and sameCopy and sameLogs and sameTruth
}

/** `store restored`: rows and files together. The files are all there. */
pred restored {
  some Stopped
  let unreleased = { x: Tx | on[SentLog] and some p: Process | x in p.log - p.logReleased },
      gone = { x: Process.logAbandoned | on[SentLog] and x not in unreleased },
      rows = (Store.live + Store.blocked + unreleased) - gone,
      torn = { x: rows | some sharing[x] & rows and on[OperatorChooses] } {
    live' = Store -> (rows - torn)
    blocked' = Store -> torn
    abandoned' = Store -> (Store.abandoned - rows + gone)
    maySend' = Store -> { x: rows, p: Process | x in p.holds & p.log or x in p.log - p.logReleased }
    runner' = Store -> { x: rows, p: Process | no Process }
    adopted' = adopted + Store -> rows
  }
  on[HandOver] implies holds' = holds - { p: Process, x: Tx | x not in p.log } else holds' = holds
  no newest' and commits' = commits
  Checked' = Process and no Stopped'
  did' = did and cache' = cache and Alive' = Alive
  sameCopy and sameLogs and sameTruth
}

pred stutter { sameStore and sameCopy and sameMemory and sameLogs and sameServer and sameTruth }

fact behaviour {
  init
  always (
    stutter or copy or goBack or restored
    or (some p: Process | read[p] or die[p] or lookUp[p] or forget[p])
    or (some p: Process, x: Tx | openRow[p, x] or append[p, x] or send[p, x] or release[p, x] or fail[p, x] or adopt[p, x] or signOff[p, x]
        or abandonLine[p, x] or abandon[p, x]))
}

/** Two different transactions for one token can never both be mined. */
assert OnePaymentPerToken { always no disj x, y: Sent | x.pays = y.pays and no x.spends & y.spends }
/** Bytes never leave after their coins were free for another payment. */
assert NothingSentAfterFreed { always no SentAfterFreed }
/** "It never left" is true. */
assert FailedNeverLeft { always no FailedAfterSent }
/** Two payments that wait for a block never share a coin. */
assert CoinsHeldOnce { always no disj x, y: Store.live | some x.spends & y.spends }

pred safe {
  always (no disj x, y: Sent | x.pays = y.pays and no x.spends & y.spends)
  always no SentAfterFreed
  always no FailedAfterSent
  always no disj x, y: Store.live | some x.spends & y.spends
}

run restoredAndGoneOn { Config.on = Rule and eventually (some Stopped and eventually (no Stopped and some Sent)) and eventually some Store.abandoned } for 2 but 2 Process, 3 Tx, 4 Commit, 1..9 steps expect 1
check withoutStoreLock { Config.on = Rule - StoreLock implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..8 steps expect 1
check withoutRunnerCheck { Config.on = Rule - RunnerCheck implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..8 steps expect 1
check withoutSignOff { Config.on = Rule - SignOff implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..8 steps expect 1
check withoutForgetOnlyDead { Config.on = Rule - ForgetOnlyDead implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..8 steps expect 1
check withoutSentLog { Config.on = Rule - SentLog implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..8 steps expect 1
check withoutCommitCheck { Config.on = Rule - CommitCheck - AllCheck implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..8 steps expect 1
check withoutAllCheck { Config.on = Rule - AllCheck implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..9 steps expect 1
check withoutHandOver { Config.on = Rule - HandOver implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..10 steps expect 1
check withAllRules { Config.on = Rule implies safe } for 2 but 2 Process, 3 Tx, 4 Commit, 1..8 steps expect 0
check withoutAdopterLogs { Config.on = Rule - AdopterLogs implies safe } for exactly 2 Process, exactly 1 Token, exactly 2 Coin, exactly 2 Tx, exactly 4 Commit, exactly 12 steps expect 1
check withoutOperatorChooses { Config.on = Rule - OperatorChooses implies safe } for exactly 2 Process, exactly 2 Token, exactly 1 Coin, exactly 2 Tx, exactly 5 Commit, exactly 13 steps expect 1
