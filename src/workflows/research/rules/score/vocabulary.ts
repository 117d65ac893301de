/** The words of a text, as a set. */
export const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

/** Nouns that say by themselves that a number is a score. */
export const scoreNouns = words('score rating grade mark punteggio puntuación pontuação bewertung wertung');

/** Nouns of the whole judgement; a number that is named by them is a score of the whole. */
export const wholeNouns = words(`
  overall final total aggregate combined composite average mean verdict result assessment evaluation
  estimate judgement judgment conclusion answer summary recommendation opinion take criticism critique
  critic points mine yours`);

/** What a score of the whole may be of, and how it may be described. */
export const neutral = words(`
  the a an my our your its this that new updated revised adjusted corrected current latest initial
  preliminary previous prior earlier last first original old former numeric numerical idea plan proposal
  strategy concept approach project research hypothesis thesis iteration round cycle draft version
  assigned recommended resulting estimated suggested raw weighted given honest personal rough grand
  expected general of for in and is it before after previously initially finally originally formerly then
  range band bands right here today level number index percentage idea's plan's proposal's strategy's
  critic's reviewer reviewer's now`);

/** Aspects of an idea, by how they begin: a score of theirs is not the score. */
const aspects =
  /^(?:feasib|novel|original$|originality|innovat|data$|dataset|risk|testab|clar|rigou?r|evidence|market|liquid|capacit|cost|complex|robust|execut|implement|impact|scalab|practic|method|confiden|edge$|relevan|sound|quality|complete|coheren|creativ|depth|accura|profit|return|sharpe|drawdown|overfit|technical|econom|commercial|financ|operation|regulat|legal|generali|reproduc|resource|team|timeline|competit|differentiat|significan$|certainty|likelihood|probability)/;

export const isAspect = (word: string): boolean => aspects.test(word) && !neutral.has(word);

export const isViability = (word: string): boolean => word.startsWith('viab');

/** In the name of a number: that it is a bound, or a share in the score. */
export const bounds = words(`
  minimum min maximum max threshold cutoff limit required requirement target goal needed passing benchmark
  aim aims aiming hope weight weights weighting bar hurdle floor ceiling scale legend example eg ranked
  rank page`);

/** Before a number or its name: it is compared with, or wished for, not given. */
export const comparing = words(`
  below above under over than least most exceeding exceed exceeds beyond until minus plus versus vs
  against not from without must need needs needed require requires required reach achieve attain hit
  surpass pass clear meet towards toward till < > ≤ ≥ any`);

/** What may stand between a label and its number. */
export const fillers = words(`
  is are was be been being has have may should equals equal stands stand sits comes come lands remains at
  of as a an the about around out works ends approximately approx roughly circa ca nearly almost close
  near to only just merely simply currently now still again thus therefore hence so then it its this that
  my our your which one perhaps maybe probably likely say would will on somewhere idea plan proposal
  strategy concept approach project hypothesis i i'd i'll we we'd for me in est estimated exactly rises
  rise rose risen falls fell drops dropped goes went moves moved improves improved increases increased
  climbs climbed jumped declined decreased up down bring brings brought raised lowered revised updated set
  put let's let here's here with overall too`);

/** Marks that may stand between a label and its number. */
export const fillerMarks = words(': = - – — → ( [ { ~ ≈ , ≃ ± ?');

/** Judgements that may stand between the label's colon and the number. */
export const judgements = words(`
  major flaws significant concerns moderate good excellent concept minimal issues low medium high poor
  fair weak strong very fairly quite rather solid decent generous modest mere cautious tentative
  respectable promising mixed marginal borderline viable proceed restart caution mediocre reasonable
  acceptable bad great`);

/** Verbs by which a critic gives a score. */
export const givingVerbs = words(`
  give gives gave given giving rate rates rated grade graded score scores scored assign assigned award
  awarded get gets got getting earn earns earned deserve deserves deserved merit merits receive receives
  received estimate assess put putting land lands settleAbandonedCalls arrive conclude`);

/** Words that end the name of a number. */
export const joints = words(`
  i i'd i'll we we'd with at to by that which is are was were be been gets get has have had so but because
  since from on if as than thus therefore while though although when where it would could should may might
  will can must need needs not no give gives gave rate rated rates assign assigned put earns deserves
  receives merits comes stands sits below above under over exceeds reaches reach assess estimate means
  mean hence then given`);

/** May follow a number that is a score; another word makes it a number of something. */
export const following = words(`
  because since as due given with but and so overall at on for in which reflecting indicating based mainly
  primarily owing thanks though although while considering meaning ie eg viable now today to from reflects
  total if when after until unless this here initially previously before originally by assuming provided
  once despite range means making would right not just is was indicates suggests → up down versus vs
  compared again earlier thus hence therefore then also it i we that's out or final revised`);

/** What is counted, and so not scored, even where a label stands before it. */
export const counted = words(`
  iteration iterations year years month months week weeks day days hour hours minute minutes trade trades
  stock stocks asset assets strategies papers paper source sources studies study concern concerns issue
  issues flaw flaws risks problem problems reason reasons aspects criteria categories factor factors
  dimension dimensions question questions step steps time times bps basis million billion thousand k m bn
  usd eur dollars euros critics critic reviewers weaknesses weakness strengths people experts
  implementations works degrees`);

/** Nouns that number things: `iteration 2`, `section 51`. */
export const counters = words(`
  iteration iterations round cycle attempt pass draft version step page section chapter slide part item
  question day week month year table criterion criteria appendix`);

/** Verbs of a score that changes: `rose from 45 to 62`. */
export const changes = words(`
  revise lower adjust change correct update reduce reduced reduces rose rise rises risen improve improves
  improved improvement increase increases increased up went goes moves moved dropped drop drops fell fall
  falls decreased decreases raised raises raise lowered lowers changed changes climbed climbs jumped jumps
  grew grows declined declines slipped revised updated adjusted corrected down move`);
