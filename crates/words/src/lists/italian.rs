//! Italian. Elided words are listed without their apostrophe.

/// Words that say nothing about a topic.
pub(super) const STOP: &str = "\
a abbastanza abbia abbiamo abbiano ad adesso affinché agli ai al alcuna alcune alcuni alcuno all alla alle allo allora \
altra altre altri altro anche ancora anzi appena aveva avevamo avevano avere avete avevo avuto bene c che chi ci ciò cioè \
ciascuno coi col come comunque con contro cosa cose così cui d da dagli dai dal dall dalla dalle dallo davvero degli dei \
del dell della delle dello dentro deve devi devo di dopo dov dove dunque durante e è ecco ed era erano eravamo eri ero \
essa essere essi esso fa faccio fanno fare fatto fino forse fra fu fui furono già gli grazie ha hai hanno ho i il in \
infatti inoltre insieme invece io l la là le lei li lì lo loro lui ma mai me mediante meno mentre mi mia mie miei mio \
molta molte molti molto ne né neanche negli nei nel nell nella nelle nello nemmeno nessun nessuna nessuno niente no noi \
non nostra nostre nostri nostro nulla o od ogni ognuno oltre oppure ora ossia per perché perciò però piuttosto più poco \
poi possiamo posso possono può puoi purtroppo qua qualche qualcosa qualcuno quale quali quando quanta quanti quanto \
quasi quel quell quella quelle quelli quello quest questa queste questi questo qui quindi sarà sarebbe se sei sembra \
sempre senza si sì sia siamo siano siete so solo sono sopra sotto sta stai stanno stata state stati stato stesso sto su \
sua sue sugli sui sul sull sulla sulle sullo suo suoi tale tanto te ti tra troppo tu tua tue tuo tuoi tutta tutte tutti \
tutto un una uno va vi via voi vostra vostri vostro";

/// Words of a request that only say what to do with the hits.
pub(super) const REQUEST: &str = "\
aiutare aiuta argomento cercare cerca commentare confrontare conversazione descrivere descrivi detto dice dici dimmi dire \
discutere discusso discussione disse domanda elencare elenco elenca lista menzionare messaggio mostrare mostra opinione \
parlare parlato parla pensare pensa raccontare racconta ricordare ricorda ricordi riassumere riassumi riassunto riepilogo \
rispondere sapere sai spiegare spiega successo tema trovare trova vorrei voglio";

/// Words that ask for an overview, an opinion or a reason. A star matches any ending.
pub(super) const OVERVIEW: &str = "\
riassu*, riepilog*, sintesi, sintetizz*, discu*, pensa*, opinion*, parere, pareri, detto, disse, decis*, decid*, perché, \
come mai, come siamo, come è stato, spieg*, ragion*, motiv*, argoment*, propost*, propon*, sugger*, descri*, conclu*, \
punto di vista, cosa è successo, panoramica*, raccomand*, dibatt*";

/// Beginnings of questions.
pub(super) const QUESTION: &str = "\
chi, che cosa, cosa, cos'è, che ora, che ore, quando è, quando hai, quando abbiamo, quando sarà, dove, dov'è, come, com'è, \
quale, quali, qual, quanto, quanta, quanti, quante, perché, a che, di che, con chi, puoi, può, potresti, sai, hai, ricordi, \
c'è, ci sono, è possibile, posso, devo";

/// Phrases of standing instructions and preferences. `^` is the beginning of a sentence.
pub(super) const STANDING: &str = "\
^sempre, ^mai, ^non usare mai, ^per favore sempre, ^ricorda, ^ricordati, ^ricordi, ^chiamami, ^mi chiami, ^ogni \
volta, d ora in poi, da ora in poi, d ora in avanti, da adesso in poi, in futuro, preferisco, preferirei, la mia \
preferenza, non mi piace, non mi piacciono, voglio sempre, vorrei sempre, quando chiedo, quando ti chiedo, quando le \
chiedo, ogni volta che, devi sempre, deve sempre";

/// Words before a colon that label a line as lasting: "Rule: no tabs".
pub(super) const LABELS: &str = "\
regola, regole, vincolo, vincoli, requisito, requisiti, norma, convenzione, fatto, fatti, preferenza, preferenze, \
obiettivo, obiettivi, decisione, scadenza, limite, importante, ricorda";

/// Phrases that correct an earlier statement.
pub(super) const CORRECTION: &str = "\
spostato al, spostata al, e stato spostato, e stata spostata, rimandato a, rimandata a, ora e, adesso e, ora sono, \
ora ho, e cambiato, e cambiata, sono cambiati, ho cambiato idea, non e piu, non sono piu, mi sono sbagliato, mi sono \
sbagliata, non ho mai";

/// First person singular. Excludes "we", which includes others.
pub(super) const ASKER: &str = "io, mi, me, mio, mia, miei, mie";

/// Phrases that ask for words of an earlier answer.
pub(super) const SAID: &str = "\
hai detto, ha detto, hai consigliato, hai suggerito, hai proposto, hai spiegato, hai menzionato";

/// Other phrases that ask for an earlier answer.
pub(super) const ANSWERED: &str = "\
mi hai, il tuo consiglio, i tuoi consigli, la tua risposta, il tuo suggerimento, la tua raccomandazione, il suo \
consiglio, la sua risposta";

/// Other phrases that ask for something said or done earlier.
pub(super) const RECORDED: &str = "\
ho detto, ho menzionato, ho parlato, ho raccontato, ti ho, le ho, ho mai, nostra conversazione, nostre conversazioni, \
ricordami, mi ricordi";
