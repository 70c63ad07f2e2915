//! Portuguese, of Brazil and of Portugal.

/// Words that say nothing about a topic.
pub(super) const STOP: &str = "\
a à agora aí ainda alguém algo algum alguma algumas alguns ali além ante antes ao aos apenas após aquela aquelas aquele \
aqueles aquilo aqui as às assim até bem cada coisa coisas com como comigo contra contudo da daquele daquela das de dela \
delas dele deles demais depois desde dessa desse desta deste deve devem dia disso disto do dois dos durante e é ela elas \
ele eles em embora enquanto entanto então entre era eram és essa essas esse esses esta está estamos estão estar estas \
estava estavam este esteja estes estou eu fazer faz feito fez foi fomos for fora foram fosse há houve isso isto já la lá \
lhe lhes lo logo mais mas me mesma mesmas mesmo mesmos meu meus minha minhas muita muitas muito muitos na nada não nas \
nem nenhum nenhuma nessa nesse nesta neste ninguém no nos nós nossa nossas nosso nossos num numa nunca o obrigado \
obrigada onde os ou outra outras outro outros para pela pelas pelo pelos pode podem poderia posso pois por porém porque \
pouco pra pro qual quais qualquer quando quanto quantos quase que quê quem se seja sem sempre sendo ser será seria seu \
seus si sido sim só sob sobre somos sou sua suas tá tal também tanto te tem têm temos tenha tenho ter teu teus teve ti \
tinha tinham toda todas todo todos tu tua tudo um uma umas uns vai vais vamos vão você vocês vou vos";

/// Words of a request that only say what to do with the hits.
pub(super) const REQUEST: &str = "\
achar ajudar ajuda assunto buscar comentar comparar contar conversa conversar conversamos conte descrever descreva diga \
discutir discussão disse dito dizer encontrar encontre explicar explique falar falamos falou lembrar lembra lembre lista \
listar mencionar mensagem mostrar mostre opinião passou pensar pensa pergunta procurar queria quero recordar recorda \
responder resumir resuma resumo saber sabe tema";

/// Words that ask for an overview, an opinion or a reason. A star matches any ending.
pub(super) const OVERVIEW: &str = "\
resum*, discut*, discuss*, pensa*, pensou, acha*, achou, opini*, disse, disseram, dito, decidi*, decis*, por que, por \
quê, porquê, como foi, como é que, como chegamos, explic*, razão, razões, motivo*, argument*, propost*, propôs, propus*, \
propor*, suger*, suges*, descre*, conclu*, ponto de vista, o que aconteceu, o que houve, panorama*, recomend*, debat*";

/// Beginnings of questions.
pub(super) const QUESTION: &str = "\
o que, que horas, que dia, quem, quando é, quando foi, quando vamos, quando você, onde, aonde, como é, como foi, como \
faço, como posso, como você, qual, quais, quanto, quanta, quantos, quantas, por que, porque é que, de que, com quem, pode \
me, você pode, você sabe, você lembra, há algum, há alguma, tem algum, tem alguma, será que, devo";

/// Phrases of standing instructions and preferences. `^` is the beginning of a sentence.
pub(super) const STANDING: &str = "\
^sempre, ^nunca, ^por favor sempre, ^por favor nunca, ^lembre se, ^lembra te, ^me chame, ^chame me, ^chama me, ^toda \
vez, ^cada vez, a partir de agora, de agora em diante, daqui para a frente, no futuro, prefiro, eu preferiria, minha \
preferencia, a minha preferencia, nao gosto, quero sempre, quero que sempre, quando eu perguntar, quando eu pedir, \
sempre que eu, toda vez que eu, deve sempre, deves sempre";

/// Words before a colon that label a line as lasting: "Rule: no tabs".
pub(super) const LABELS: &str = "\
regra, regras, restricao, restricoes, requisito, requisitos, norma, convencao, fato, fatos, facto, factos, preferencia, \
preferencias, objetivo, objetivos, decisao, prazo, limite, importante";

/// Phrases that correct an earlier statement.
pub(super) const CORRECTION: &str = "\
mudou para, passou para, movido para, movida para, agora e, agora sao, agora tenho, agora temos, mudaram para, mudei \
de ideia, nao e mais, ja nao, adiado, adiada, remarcado, remarcada, eu estava errado, eu estava errada, enganei me, \
me enganei, nunca tive, eu nunca";

/// First person singular. Excludes "we", which includes others.
pub(super) const ASKER: &str = "eu, me, mim, meu, minha, meus, minhas";

/// Phrases that ask for words of an earlier answer.
pub(super) const SAID: &str = "\
voce disse, disseste, voce recomendou, recomendaste, voce sugeriu, sugeriste, voce mencionou, mencionaste, voce \
explicou, explicaste";

/// Other phrases that ask for an earlier answer.
pub(super) const ANSWERED: &str = "\
seu conselho, teu conselho, sua resposta, tua resposta, sua sugestao, tua sugestao, sua recomendacao, tua recomendacao";

/// Other phrases that ask for something said or done earlier.
pub(super) const RECORDED: &str = "\
eu disse, eu mencionei, mencionei, eu contei, te contei, lhe contei, eu falei, alguma vez eu, nossa conversa, nossas \
conversas, lembre me, lembra me, me lembre";
