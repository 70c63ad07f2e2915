//! English.

/// Words that say nothing about a topic.
pub(super) const STOP: &str = "\
a about above after again ago all almost along already also although always am among an and another any anybody anyone \
anything are around as at away be became because been before behind being below beside besides between beyond both but \
by came can cannot could did do does doing done down during each either else enough etc even ever every everybody \
everyone everything few for from further get gets getting give given goes going gone gonna got gotta had has have \
having he hence her here hers herself hey hi him himself his how however i if in indeed instead into is it its itself \
just least less let lets like lot lots made make makes making many may maybe me might mine more most much must my \
myself neither never no nobody none nor not nothing now of off oh ok okay often on once one ones only onto or other \
others our ours ourselves out over own per perhaps please quite rather really s same seem seems shall she should since \
so some somebody someone something sometimes soon still such t than that the their theirs them themselves then there \
these they thing things this those though through throughout thus till to too toward towards u under unless until up \
upon us very via wanna was we well were what whatever when whenever where wherever whether which whichever while who \
whoever whom whose why will with within without would yeah yep yes yet you your yours yourself yourselves";

/// Words of a request that only say what to do with the hits.
pub(super) const REQUEST: &str = "\
answer ask compare conclude conclusion conversation describe detail discuss discussion explain explanation find happen \
help know list look mention message opinion outline overview point question recall recap regard related remember remind \
review said say search send show speak suggest sum summarize summarise summary talk tell think thought thoughts told \
topic understand use want write";

/// Words that ask for an overview, an opinion or a reason. A star matches any ending.
pub(super) const OVERVIEW: &str = "\
summar*, discuss*, think, thinks, thought*, said, opinion*, view on, views on, feel about, feels about, felt about, \
decision*, decide*, why, how did, how does, how do, how come, explain*, explanation*, reason*, overview*, outline*, \
recap*, conclu*, describe*, argument*, argue*, attitude*, propos*, debate*, suggest*, recommend*, what happened, \
tell me about, catch me up, consider*";

/// Beginnings of questions.
pub(super) const QUESTION: &str = "\
what, what's, when did, when do, when does, when is, when was, when are, when were, when will, when can, when should, \
when's, where did, where do, where does, where is, where was, where are, where were, where can, where should, where's, \
who, who's, whom, whose, which, why, how, how's, can you, could you, would you, will you, do you, did you, does, did, \
are you, is there, are there, is it, is this, is that, have you, has anyone, anyone, should i, should we, can i, can we, \
may i, may we, shall we";

/// Phrases of standing instructions and preferences. `^` is the beginning of a sentence.
pub(super) const STANDING: &str = "\
^always, ^never, ^please always, ^please never, ^please remember, ^remember to, ^remember that, ^whenever, ^every \
time, ^make sure to always, ^make sure you always, ^call me, ^don t ever, ^do not ever, ^never again, from now on, \
going forward, in future, for future reference, i prefer, i d prefer, i would prefer, i d rather, i would rather, my \
preference, i don t like, i want you to always, i d like you to always, i always want, i never want, when i ask, \
whenever i, every time i, you should always, you should never";

/// Words before a colon that label a line as lasting: "Rule: no tabs".
pub(super) const LABELS: &str = "\
rule, rules, constraint, constraints, requirement, requirements, policy, convention, conventions, guideline, fact, facts, \
preference, preferences, goal, goals, decision, deadline, limit, important, remember";

/// Phrases that correct an earlier statement.
pub(super) const CORRECTION: &str = "\
moved to, moved it to, moved the, has moved, is now, are now, now have, changed to, has changed, have changed, \
changed my mind, no longer, not anymore, rescheduled, postponed, pushed back, brought forward, updated to, i was \
wrong, i made a mistake, scratch that, i ve never, i have never";

/// First person singular. Excludes "we", which includes others.
pub(super) const ASKER: &str = "i, me, my, mine, myself";

/// Phrases that ask for words of an earlier answer.
pub(super) const SAID: &str = "\
did you, you said, you told, you suggested, you recommended, you gave, you mentioned, you proposed, you explained, you \
listed, you wrote";

/// Other phrases that ask for an earlier answer.
pub(super) const ANSWERED: &str = "\
have you, had you, your answer, your advice, your suggestion, your suggestions, your recommendation, your \
recommendations, your explanation";

/// Other phrases that ask for something said or done earlier.
pub(super) const RECORDED: &str = "\
did i, did my, did we, did it take me, have i, have my, had i, has my, was i, was my, were my, i said, i mention, i \
mentioned, i told, i brought up, i described, passed between, our conversation, our conversations, remind me";

/// Irregular forms, each with the word that it is a form of.
pub(super) const IRREGULAR: &str = "\
ate eat, eaten eat, beaten beat, became become, began begin, begun begin, bent bend, bit bite, bitten bite, bled bleed, \
blew blow, blown blow, bore bear, borne bear, bought buy, bound bind, bred breed, broke break, broken break, brought \
bring, built build, burnt burn, caught catch, children child, chose choose, chosen choose, crept creep, dealt deal, \
drank drink, drawn draw, dreamt dream, drew draw, driven drive, drove drive, drunk drink, dug dig, fallen fall, fed \
feed, feet foot, fell fall, felt feel, fled flee, flew fly, flown fly, forbade forbid, forbidden forbid, forgave forgive, \
forgiven forgive, forgot forget, forgotten forget, fought fight, froze freeze, frozen freeze, gave give, geese goose, \
grew grow, grown grow, heard hear, held hold, hidden hide, hid hide, hung hang, kept keep, knew know, known know, knelt \
kneel, laid lay, lain lie, leant lean, leapt leap, learnt learn, led lead, lent lend, lit light, lost lose, meant mean, \
men man, met meet, mice mouse, misunderstood misunderstand, paid pay, people person, persons person, ran run, rang ring, \
ridden ride, risen rise, rode ride, rose rise, rung ring, said say, sang sing, sank sink, sat sit, sought seek, seen \
see, saw see, sent send, shaken shake, shook shake, shone shine, shot shoot, shown show, slept sleep, slid slide, sold \
sell, spent spend, spoke speak, spoken speak, sprang spring, stolen steal, stole steal, stood stand, struck strike, \
stuck stick, sung sing, sunk sink, swam swim, swept sweep, swore swear, sworn swear, swum swim, swung swing, taken take, \
taught teach, teeth tooth, thought think, threw throw, thrown throw, tore tear, torn tear, told tell, took take, \
understood understand, went go, wept weep, withdrew withdraw, withdrawn withdraw, woke wake, woken wake, women woman, \
won win, wore wear, worn wear, wove weave, woven weave, written write, wrote write, wives wife, lives life, knives \
knife, leaves leaf, shelves shelf, halves half, wolves wolf, dying die, lying lie, tying tie";
