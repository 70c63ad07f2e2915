//! French. Elided words are listed without their apostrophe.

/// Words that say nothing about a topic.
pub(super) const STOP: &str = "\
à afin ai aie ainsi ait alors après as assez au aucun aucune aujourd auquel aura aurai aurait aussi autre autres aux \
avaient avais avait avant avec avez aviez avions avoir avons ayant beaucoup bien bon c ça car ce ceci cela celle celles \
celui ces cet cette ceux chaque chez ci comme comment d dans de dedans dehors déjà depuis des dès desquels deux devrait \
doit donc dont du duquel elle elles en encore enfin entre es est et étaient étais était étant être eu eue eux faire fais \
fait faites faut font hors ici il ils j jamais je jusqu jusque l la là laquelle le lequel les lesquelles lesquels leur \
leurs lors lorsque lui m ma mais me même mêmes mes mien mienne moi moins mon n ne ni non nos notre nous on ont or ou où \
oui par parce parfois pas pendant peu peut peuvent peux plus plusieurs plutôt pour pourquoi pourrait pourtant pouvez \
presque puis puisque qu quand que quel quelle quelles quelqu quelque quelques quels qui quoi rien s sa sans sauf se \
selon sera serai serait ses seulement si sien sienne soi soit sommes son sont sous souvent suis sur t ta tandis tant te \
tel telle tes toi ton toujours tous tout toute toutes très trop tu un une va vais vas vers vont vos votre vous voici \
voilà vraiment y";

/// Words of a request that only say what to do with the hits.
pub(super) const REQUEST: &str = "\
aide aider avis chercher comparer conversation décrire décris dire dis discuter discussion dit dites donner donne \
évoquer expliquer explique liste lister mentionner message montrer montre opinion parler parlé passé pense penser \
question raconter rappeler rappelle répondre récapituler récapitulatif résumer résumé savoir sais souvenir souviens \
sujet synthèse trouver trouve veux vouloir";

/// Words that ask for an overview, an opinion or a reason. A star matches any ending.
pub(super) const OVERVIEW: &str = "\
résum*, synthès*, récap*, discut*, discussion*, pens*, avis, opinion*, dit, disait, décid*, décision*, pourquoi, comment \
se fait, comment avons, comment ont, comment est, expliqu*, explication*, raison*, argument*, propos*, suggér*, décri*, \
conclu*, point de vue, qu'est-ce qui s'est passé, aperçu*, débat*, recommand*";

/// Beginnings of questions.
pub(super) const QUESTION: &str = "\
qui, que, quoi, qu'est-ce, est-ce, quand est, quand a, quand as, quand avons, où, comment, pourquoi, combien, quel, \
quelle, quels, quelles, lequel, laquelle, à quelle, à quel, de quoi, de qui, peux-tu, pouvez-vous, as-tu, avez-vous, \
y a-t-il, sais-tu, savez-vous, puis-je, peut-on, dois-je";

/// Phrases of standing instructions and preferences. `^` is the beginning of a sentence.
pub(super) const STANDING: &str = "\
^toujours, ^jamais, ^ne jamais, ^desormais, ^dorenavant, ^appelle moi, ^appelez moi, ^n oublie pas, ^n oubliez pas, \
^retiens, ^retenez, ^rappelle toi, ^chaque fois, a partir de maintenant, a l avenir, je prefere, je prefererais, ma \
preference, j aimerais mieux, je n aime pas, je veux toujours, je voudrais toujours, quand je demande, quand je te \
demande, quand je vous demande, chaque fois que je, tu dois toujours, vous devez toujours";

/// Words before a colon that label a line as lasting: "Rule: no tabs".
pub(super) const LABELS: &str = "\
regle, regles, contrainte, contraintes, exigence, exigences, consigne, convention, fait, faits, preference, \
preferences, objectif, objectifs, decision, echeance, limite, important, rappel";

/// Phrases that correct an earlier statement.
pub(super) const CORRECTION: &str = "\
deplace au, deplacee au, a ete deplace, a ete deplacee, reporte au, reportee au, est maintenant, sont maintenant, a \
change, ont change, change d avis, n est plus, ne suis plus, je me suis trompe, je me suis trompee, je n ai jamais";

/// First person singular. Excludes "we", which includes others.
pub(super) const ASKER: &str = "je, j, me, m, moi, mon, ma, mes";

/// Phrases that ask for words of an earlier answer.
pub(super) const SAID: &str = "\
m as tu, tu m as, vous m avez";

/// Other phrases that ask for an earlier answer.
pub(super) const ANSWERED: &str = "\
as tu, avez vous, tu as, vous avez, ton conseil, tes conseils, ta reponse, ta suggestion, ta recommandation, votre \
conseil, vos conseils, votre reponse, votre suggestion, votre recommandation";

/// Other phrases that ask for something said or done earlier.
pub(super) const RECORDED: &str = "\
ai je dit, ai je mentionne, ai je parle, ai je deja, avais je, etais je, j ai dit, j ai mentionne, j ai parle, je t \
ai, je vous ai, notre conversation, nos conversations, rappelle moi, rappelez moi, as tu dit, as tu recommande, avez \
vous dit, avez vous recommande";
