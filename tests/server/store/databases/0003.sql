BEGIN TRANSACTION;
CREATE TABLE act (
	game VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	seat INTEGER, 
	door VARCHAR NOT NULL, 
	said TEXT NOT NULL, 
	events TEXT NOT NULL, 
	digest VARCHAR NOT NULL, 
	PRIMARY KEY (game, seq), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "act" VALUES('7xo545zb',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Over","board":"Alexandros","edition":"identity-games","hours":24,"seats":["Anna","House"]}]','d20da997ee69499d6a834b4e3ef11815274514af39ad36f1c45160d13f3a3f4c');
INSERT INTO "act" VALUES('7xo545zb',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"identity-games","seats":["Anna","House"],"hands":[["temple"],["horse"]],"display":["temple","lyre"]}]','79f99fe8daa808b92d6ea02fa230f015f11b7a77c5fe9afaefd99c098bb86d88');
INSERT INTO "act" VALUES('7xo545zb',3,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Larissa A3-B4-C5-D4; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B4","C5","D4"],"walls":["A3-B4","B4-C5","C5-D4"],"red":0},{"type":"turn_ended","seat":0}]','168f3b542d4898a139d862a5452682bb5178159dbe930714494dd5b4c561d129');
INSERT INTO "act" VALUES('7xo545zb',4,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Sestos D4-D6-C7-B8; occupy Philippi; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Sestos","path":["D4","D6","C7","B8"],"walls":["C7-D6","B8-C7"],"red":0},{"type":"province_occupied","seat":1,"guards":["Philippi"],"paid":["temple","horse"]},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"turn_ended","seat":1}]','d7bd465497d33f4867342139dbd5c66bb4c085b5dbf43019a1e280b61eba64a3');
INSERT INTO "act" VALUES('7xo545zb',5,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Gordium B8-C9-D10; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Gordium","path":["B8","C9","D10"],"walls":["C9-D10"],"red":0},{"type":"turn_ended","seat":0}]','210dfe58f1a204c62583344c3e136426e6e101b9d028bfefa2e68b500cc75036');
INSERT INTO "act" VALUES('7xo545zb',6,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Troy D10-C9; take soldier; levy soldier','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Troy","path":["D10","C9"],"walls":[],"red":0},{"type":"card_taken","seat":1,"card":"soldier"},{"type":"taxes_levied","seat":1,"card":"soldier","gains":[0,6]},{"type":"turn_ended","seat":1},{"type":"card_opened","card":"temple"}]','198d9b515231678f18c8f1d74ab8fcd76abcc626632937b86405ad87ac52e40d');
INSERT INTO "act" VALUES('7xo545zb',7,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Ephesus C9-D8-E9; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["C9","D8","E9"],"walls":["C9-D8","D8-E9"],"red":0},{"type":"turn_ended","seat":0}]','65a16e20f9ccc71b8b88d6bfd76642f138563c99c0d08116722a0b25e6a7952b');
INSERT INTO "act" VALUES('7xo545zb',8,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Sidon E9-F10-F12; draw; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Sidon","path":["E9","F10","F12"],"walls":["E9-F10"],"red":0},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"card_drawn","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1}]','ef61ac60d1466345725aecda61149f816376b72175e520de9456ea5424275402');
INSERT INTO "act" VALUES('7xo545zb',9,'2026-11-01T12:00:00.000+00:00',0,'link','play temple; march Ephesus F12-E11-E9; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["F12","E11","E9"],"walls":["E11-F12","E9-E11"],"red":0},{"type":"turn_ended","seat":0}]','d89ef59be864ab4d470fe04660d80468d32e2747876ec23ff3e39adf0760378e');
INSERT INTO "act" VALUES('7xo545zb',10,'2026-11-01T12:00:00.000+00:00',1,'house','choose amphora; march Athens E9-D8-D6; occupy Byblus; levy amphora','[{"type":"card_chosen","seat":1,"card":"amphora","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Athens","path":["E9","D8","D6"],"walls":["D6-D8"],"red":0},{"type":"province_occupied","seat":1,"guards":["Byblus"],"paid":[]},{"type":"taxes_levied","seat":1,"card":"amphora","gains":[0,7]},{"type":"turn_ended","seat":1}]','61243fec4dec29259e97fc2e710902457d6515104568eabcb8b569ab1ba8aafd');
INSERT INTO "act" VALUES('7xo545zb',11,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Thapsacus D6-D8-D10-E11-E13-E15; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Thapsacus","path":["D6","D8","D10","E11","E13","E15"],"walls":["D8-D10","D10-E11","E11-E13","E13-E15"],"red":0},{"type":"turn_ended","seat":0}]','cc9a3b0fbaa007e53dd0af61c0fee28ed02f675c4e2ca17e32b3f43cdb8904af');
INSERT INTO "act" VALUES('7xo545zb',12,'2026-11-01T12:00:00.000+00:00',1,'house','choose lyre; march Babylon E15-F14-G13-H14; levy amphora; occupy Sidon','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Babylon","path":["E15","F14","G13","H14"],"walls":["E15-F14","F14-G13","G13-H14"],"red":0},{"type":"taxes_levied","seat":1,"card":"amphora","gains":[0,7]},{"type":"province_occupied","seat":1,"guards":["Sidon"],"paid":[]},{"type":"turn_ended","seat":1}]','c233ceae7f3c09f0a91341bfc09f5a39a1392dc7de4f265cec9c4e102d224111');
INSERT INTO "act" VALUES('7xo545zb',13,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Philae H14-I15-J14-K13; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Philae","path":["H14","I15","J14","K13"],"walls":["H14-I15","I15-J14","J14-K13"],"red":0},{"type":"turn_ended","seat":0}]','b72f7a40631a695ca2b8963efc2f1a5238f14baf52a6700314e91dc7f50178dc');
INSERT INTO "act" VALUES('7xo545zb',14,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Uruk K13-J14-I15-H16-H18; levy temple; occupy Uruk','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Uruk","path":["K13","J14","I15","H16","H18"],"walls":["H16-I15","H16-H18"],"red":0},{"type":"taxes_levied","seat":1,"card":"temple","gains":[0,10]},{"type":"province_occupied","seat":1,"guards":["Uruk"],"paid":[]},{"type":"turn_ended","seat":1}]','ca68c2c2591c3fc8bdaa939d0897cf88fa6b08c93e01a53de8ec9f0ee4f6434d');
INSERT INTO "act" VALUES('7xo545zb',15,'2026-11-01T12:00:00.000+00:00',0,'link','choose amphora; march Opis H18-G19-F18-E17; end','[{"type":"card_chosen","seat":0,"card":"amphora","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":0,"target":"Opis","path":["H18","G19","F18","E17"],"walls":["G19-H18","F18-G19","E17-F18"],"red":0},{"type":"turn_ended","seat":0}]','19e7ce32fb9d833ce69ae2e8b61878d955b9c97e578170547533a925e02d95a0');
INSERT INTO "act" VALUES('7xo545zb',16,'2026-11-01T12:00:00.000+00:00',1,'house','choose soldier; march Ecbatana E17-D18; levy horse; recall Byblus','[{"type":"card_chosen","seat":1,"card":"soldier","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Ecbatana","path":["E17","D18"],"walls":["D18-E17"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,15]},{"type":"guard_recalled","seat":1,"place":"Byblus"},{"type":"turn_ended","seat":1}]','cbdaeffdf27f89f96e7404edb1c69dba9117d2dd55f34e8f86490c318c9c7f10');
INSERT INTO "act" VALUES('7xo545zb',17,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Zadracarta D18-E19-E21; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Zadracarta","path":["D18","E19","E21"],"walls":["D18-E19","E19-E21"],"red":0},{"type":"turn_ended","seat":0}]','4040aad282072d8bfb5000bdf9538997ff25929a91594562b3dfd9dcb401027a');
INSERT INTO "act" VALUES('7xo545zb',18,'2026-11-01T12:00:00.000+00:00',1,'house','choose soldier; march Gabae E21-F22-G21; levy horse; occupy Bisitun','[{"type":"card_chosen","seat":1,"card":"soldier","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Gabae","path":["E21","F22","G21"],"walls":["E21-F22","F22-G21"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,14]},{"type":"province_occupied","seat":1,"guards":["Bisitun"],"paid":["lyre","soldier"]},{"type":"turn_ended","seat":1}]','bb1d80016e4ea0949859b2a37ef4ab80e179ae6fee7f7302bb5c9073eb834a28');
INSERT INTO "act" VALUES('7xo545zb',19,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Carmana G21-G23-G25; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Carmana","path":["G21","G23","G25"],"walls":["G21-G23","G23-G25"],"red":0},{"type":"turn_ended","seat":0}]','fa4d00f5e879a44e431ddecd84b128bfbf4c722322b575d9771b6a22ede18972');
INSERT INTO "act" VALUES('7xo545zb',20,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Salmus G25-H24; levy horse; take amphora','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Salmus","path":["G25","H24"],"walls":["G25-H24"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,19]},{"type":"card_taken","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1},{"type":"card_opened","card":"lyre"}]','f68c2197d0a52f973bcae26cc963cf040d5b40d4daa5dc79af865b17e9fcee50');
INSERT INTO "act" VALUES('7xo545zb',21,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Phrada H24-H26-H28; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Phrada","path":["H24","H26","H28"],"walls":["H24-H26","H26-H28"],"red":0},{"type":"turn_ended","seat":0}]','6be2c4997637120a7064aacbc27631700d5f5ad7ab24b2abc7087acec8460ece');
INSERT INTO "act" VALUES('7xo545zb',22,'2026-11-01T12:00:00.000+00:00',1,'house','choose lyre; march Taxila H28-H30; levy soldier; draw','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Taxila","path":["H28","H30"],"walls":["H28-H30"],"red":0},{"type":"taxes_levied","seat":1,"card":"soldier","gains":[0,19]},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"turn_ended","seat":1}]','0294558a414c903afd6ab318a978de81625d09c7d14dfe49174c47d44281d257');
INSERT INTO "act" VALUES('7xo545zb',23,'2026-11-01T12:00:00.000+00:00',0,'link','play amphora; march Pura H30-I29-J28-J26; end','[{"type":"card_chosen","seat":0,"card":"amphora","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Pura","path":["H30","I29","J28","J26"],"walls":["H30-I29","I29-J28","J26-J28"],"red":0},{"type":"turn_ended","seat":0}]','30f6059cca2f4f1db1b6a1d2913d27accf62d3c65eaa3f58cc721d31aeb0492c');
INSERT INTO "act" VALUES('7xo545zb',24,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Harmozia J26-J24; levy temple','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Harmozia","path":["J26","J24"],"walls":[],"red":0},{"type":"taxes_levied","seat":1,"card":"temple","gains":[0,19]},{"type":"game_ended","reason":"points","winners":[1]}]','16bfccbc1d43bd4d85ee34d6743c25e0498e11864f01acd626b070c361ae6a97');
INSERT INTO "act" VALUES('ve64fsvc',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Waiting \u2013 \u00e9","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Ben","Cleo","Anna","Dirk"]}]','47ce33dff2ab0b3dd8bc73e135ace38494135025fc28298e9e9e9ae2697cc981');
INSERT INTO "act" VALUES('ve64fsvc',2,'2026-11-01T12:00:00.000+00:00',2,'link','accept','[{"type":"seat_accepted","seat":2}]','03847bdf7118eb0d73208a5d14ab2459b482760c705b694a5a6cd487433b06c2');
INSERT INTO "act" VALUES('ve64fsvc',3,'2026-11-01T12:00:00.000+00:00',0,'reply','accept','[{"type":"seat_accepted","seat":0}]','40940ddd03f38c44dbf7380c4e0550725034cea5d9130a4b28edf534293c1db8');
INSERT INTO "act" VALUES('oduoaizv',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Friday","board":"Alexandros","edition":"rio-grande","hours":48,"seats":["Ben","Dirk","Cleo","Anna"]}]','2e440b7d31310da366aad9d52e26dad365eefd2ea6fb6a7fd8a82871191e57c3');
INSERT INTO "act" VALUES('oduoaizv',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Ben","Dirk","Cleo","Anna"],"hands":[["amphora"],["horse"],["temple"],["lyre"]],"display":["temple","lyre"]}]','ab5d039f27e93e10c3f02d60f93e1476a225b9b6b851ad3798e8d02089a30f17');
INSERT INTO "act" VALUES('oduoaizv',3,'2026-11-01T12:00:00.000+00:00',0,'reply','choose lyre; march Larissa A3-B2-C3; draw; draw','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B2","C3"],"walls":["A3-B2","B2-C3"],"red":0},{"type":"card_drawn","seat":0,"card":"lyre"},{"type":"card_drawn","seat":0,"card":"soldier"},{"type":"turn_ended","seat":0}]','feebe6c0ed55d8233bad237bc93bbc67954445abfd0b56de34a298d172490cb2');
INSERT INTO "act" VALUES('oduoaizv',4,'2026-11-01T13:00:00.000+00:00',1,'link','choose horse; march Perinthus C3-C5-B6-A7; occupy Philippi+Aegae; recall Aegae','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Perinthus","path":["C3","C5","B6","A7"],"walls":["C3-C5","B6-C5","A7-B6"],"red":0},{"type":"province_occupied","seat":1,"guards":["Philippi","Aegae"],"paid":[]},{"type":"guard_recalled","seat":1,"place":"Aegae"},{"type":"turn_ended","seat":1}]','2959e62edf0e9a2ae336c049a4036b7d490e1849f970f497d7e330485f4b7f9b');
INSERT INTO "act" VALUES('oduoaizv',5,'2026-11-01T13:00:00.000+00:00',1,'link','resign','[{"type":"seat_resigned","seat":1}]','31d8fa9898e597cca5399ec071a592a2a5387cb28cefdffb225381051160df74');
INSERT INTO "act" VALUES('cpydrziq',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"With the house","board":"Alexandros","edition":"rio-grande","hours":12,"seats":["House","Dirk"]}]','ce7d2b2b2f469e53720dff263dfdb913cceb47aa9b6f4356f8001760465fcfc0');
INSERT INTO "act" VALUES('cpydrziq',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["House","Dirk"],"hands":[["lyre"],["lyre"]],"display":["amphora","lyre"]}]','3102ba3a1136ff1e9ad3a326fa743a7a25860d3b600d04b7b6cd909c97571f3f');
INSERT INTO "act" VALUES('cpydrziq',3,'2026-11-01T12:00:00.000+00:00',0,'house','choose amphora; march Aegae A3-B4-C3; occupy Aegae; levy amphora','[{"type":"card_chosen","seat":0,"card":"amphora","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Aegae","path":["A3","B4","C3"],"walls":["A3-B4","B4-C3"],"red":0},{"type":"province_occupied","seat":0,"guards":["Aegae"],"paid":[]},{"type":"taxes_levied","seat":0,"card":"amphora","gains":[1,0]},{"type":"turn_ended","seat":0}]','5c51ab83b9f0762263b76456456bfbafd75ca64b7a3cc5eb57e53d0785a175f2');
INSERT INTO "act" VALUES('cpydrziq',4,'2026-11-02T01:00:00.000+00:00',1,'clock','choose horse; march Perinthus C3-B4-B6; draw; draw','[{"type":"turn_timed_out","seat":1},{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Perinthus","path":["C3","B4","B6"],"walls":["B4-B6"],"red":0},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"card_drawn","seat":1,"card":"soldier"},{"type":"turn_ended","seat":1}]','3e92064b5e794aa7bc7c9dadb18afaed5700b993e969009e0d1d4a032754dc98');
INSERT INTO "act" VALUES('cpydrziq',5,'2026-11-02T01:00:00.000+00:00',0,'house','choose lyre; march Larissa B6-C5-D4; occupy Larissa; levy lyre','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["B6","C5","D4"],"walls":["B6-C5","C5-D4"],"red":0},{"type":"province_occupied","seat":0,"guards":["Larissa"],"paid":[]},{"type":"taxes_levied","seat":0,"card":"lyre","gains":[3,0]},{"type":"turn_ended","seat":0}]','ed52f4bc5a8a81db99428110bb9f303f7174c06bb36ca229669e39364eb7fff1');
INSERT INTO "act" VALUES('oduoaizv',6,'2026-11-02T01:00:00.000+00:00',NULL,'server','','[{"type":"clock_stopped","seat":3}]','881848ae24fc39ff77f4726a804d567f7bb4892f4a5115d53e2e09c26bc187a4');
INSERT INTO "act" VALUES('oduoaizv',7,'2026-11-02T01:00:00.000+00:00',NULL,'server','','[{"type":"clock_resumed","seat":3}]','541b8e30dc69673a03d2b3ddba79d347a3e25dd5d916a85ef959ac0ec74b0448');
INSERT INTO "act" VALUES('oduoaizv',8,'2026-11-02T01:00:00.000+00:00',NULL,'server','','[{"type":"clock_stopped","seat":2}]','38a5ebbb773c3c4efe9d307487b7c2bc213d9a325745da243b3f3c7eb2c7a188');
INSERT INTO "act" VALUES('ppex6bnb',1,'2026-11-02T01:00:00.000+00:00',2,'reply','yes','[{"type":"game_opened","name":"Anna''s game","board":"Alexandros","edition":"rio-grande","hours":48,"seats":["Cleo","Ben","Anna"]},{"type":"seat_accepted","seat":2}]','57f53ced5a0cee20c2a217cf2e58791d1031206ab461b72e23027a4a1d5970d4');
INSERT INTO "act" VALUES('oduoaizv',9,'2026-11-02T01:00:00.000+00:00',2,'link','choose amphora','[{"type":"card_chosen","seat":2,"card":"amphora","source":"display"},{"type":"card_opened","card":"soldier"}]','aee23868732e20bc2229b4c7bfa2fbbc45fae11057319d405de9b7f43cc4bbfc');
INSERT INTO "act" VALUES('oduoaizv',10,'2026-11-02T01:00:00.000+00:00',2,'link','march Athens A7-B6-C7-D6','[{"type":"alexander_marched","seat":2,"target":"Athens","path":["A7","B6","C7","D6"],"walls":["B6-C7","C7-D6"],"red":0}]','cbef5abfbee029eb76d6fc3dcbe2a150f35016bec8cef0728d3f97366d4aa229');
CREATE TABLE confirmation (
	code VARCHAR NOT NULL, 
	player INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (code), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "confirmation" VALUES('y3mmq5miiqlbymv4xj3ygmd3lr',1,'anna.new@example.org','2026-11-02 01:00:00.000000');
INSERT INTO "confirmation" VALUES('pe433uzia5advkpyz6an4w232l',3,'cleo.new@example.org','2026-11-02 01:00:00.000000');
INSERT INTO "confirmation" VALUES('backtevudcxa7dglkyetg6vrtcfzsv',3,'cleo@example.org','2026-11-02 01:00:00.000000');
INSERT INTO "confirmation" VALUES('alsojynztfl6gyduqovdcp6vokltfp',2,'ben.second@example.org','2026-11-02 01:00:00.000000');
CREATE TABLE failing (
	player INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	since DATETIME NOT NULL, 
	why VARCHAR NOT NULL, 
	ended_at DATETIME, 
	PRIMARY KEY (player, address), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "failing" VALUES(1,'anna@example.org','2026-11-02 01:00:00.000000','550 5.1.1 no such user','2026-11-02 01:00:00.000000');
INSERT INTO "failing" VALUES(3,'cleo.new@example.org','2026-11-02 01:00:00.000000','127.0.0.1:25 refused the address: 550 5.1.1 no such user.',NULL);
CREATE TABLE game (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	board VARCHAR NOT NULL, 
	edition VARCHAR NOT NULL, 
	hours INTEGER NOT NULL, 
	opened_at DATETIME NOT NULL, 
	seq INTEGER NOT NULL, 
	"after" INTEGER NOT NULL, 
	status VARCHAR NOT NULL, 
	turn INTEGER NOT NULL, 
	seat INTEGER, 
	turn_began_at DATETIME, 
	deadline DATETIME, 
	reminded INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "game" VALUES('7xo545zb','Over','Alexandros','identity-games',24,'2026-11-01 12:00:00.000000',24,24,'over',22,1,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "game" VALUES('ve64fsvc','Waiting – é','Alexandros','rio-grande',72,'2026-11-01 12:00:00.000000',3,0,'open',0,NULL,NULL,NULL,0);
INSERT INTO "game" VALUES('oduoaizv','Friday','Alexandros','rio-grande',48,'2026-11-01 12:00:00.000000',10,10,'running',3,2,'2026-11-01 13:00:00.000000',NULL,0);
INSERT INTO "game" VALUES('cpydrziq','With the house','Alexandros','rio-grande',12,'2026-11-01 12:00:00.000000',5,5,'running',4,1,'2026-11-02 01:00:00.000000','2026-11-02 13:00:00.000000',0);
INSERT INTO "game" VALUES('ppex6bnb','Anna''s game','Alexandros','rio-grande',48,'2026-11-02 01:00:00.000000',1,0,'open',0,NULL,NULL,NULL,0);
INSERT INTO "game" VALUES('e3udeiyk','Dirk''s','Alexandros','rio-grande',48,'2026-11-02 01:00:00.000000',0,0,'proposed',0,NULL,NULL,NULL,0);
INSERT INTO "game" VALUES('omvz2uli','Dirk''s','Alexandros','rio-grande',24,'2026-11-02 01:00:00.000000',0,0,'proposed',0,NULL,NULL,NULL,0);
CREATE TABLE heard (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	message INTEGER NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "heard" VALUES('oduoaizv',2,0);
INSERT INTO "heard" VALUES('oduoaizv',0,4);
CREATE TABLE incoming (
	id INTEGER NOT NULL, 
	digest VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	sender VARCHAR NOT NULL, 
	recipient VARCHAR NOT NULL, 
	raw BLOB NOT NULL, 
	message_id VARCHAR, 
	state VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (digest)
);
INSERT INTO "incoming" VALUES(1,'570f3ae0ba63a78a7753ae54df173b44655af10441a1daeeacc75ad5c60acf77','2026-11-01 12:00:00.000000','ben@example.org','play+ve64fsvcaaaakh64tz74kf3iplkgfo42@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B7665363466737663616161616B683634747A37346B663369706C6B67666F3432406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A2057616974696E67203D3F7574662D383F623F346F4354494D4F703F3D0A4D6573736167652D49443A203C332E3140636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C76653634667376632E312E302E696E7669746174696F6E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A6163636570740A','<3.1@client.example.org>','played','');
INSERT INTO "incoming" VALUES(2,'5bb68ff3a3a21750ea3691c0c319fab5bb6d3349957870265ea3a0f1673d5997','2026-11-01 12:00:00.000000','ben@example.org','play+oduoaizvaaba3ozmy4rivgj6ubwyfhzc@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B6F64756F61697A7661616261336F7A6D7934726976676A367562777966687A63406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A204672696461790A4D6573736167652D49443A203C332E3240636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C6F64756F61697A762E322E302E7475726E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A666C7920746F20746865206D6F6F6E0A','<3.2@client.example.org>','refused','“fly to the moon”: “fly” is no action.');
INSERT INTO "incoming" VALUES(3,'7030352040edb8501f805d20d5dc456dc5baf911ab2fe26af0b8be8634fb0390','2026-11-01 12:00:00.000000','ben@example.org','play+oduoaizvaaba3ozmy4rivgj6ubwyfhzc@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B6F64756F61697A7661616261336F7A6D7934726976676A367562777966687A63406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A204672696461790A4D6573736167652D49443A203C332E3340636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C6F64756F61697A762E322E302E7475726E406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A63686F6F7365206C7972650A6D61726368204C6172697373612041332D42322D43330A647261770A647261770A','<3.3@client.example.org>','played','');
INSERT INTO "incoming" VALUES(4,'98f13d3c062c229622f4271d0f564264f896b86ca273a45174d8c6da79505a3e','2026-11-01 12:00:00.000000','dirk@example.org','play+aaaabbbbccccdddd@example.org',X'46726F6D3A204469726B203C6469726B406578616D706C652E6F72673E0A546F3A20706C61792B61616161626262626363636364646464406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F730A4D6573736167652D49443A203C332E3440636C69656E742E6578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A656E640A','<3.4@client.example.org>','ignored','The address it was sent to is not one of ours.');
INSERT INTO "incoming" VALUES(5,'e7bf02bd24f0ece0731a48b4614f015180b91373cf8997fe819e5c5459d30150','2026-11-02 01:00:00.000000','anna@example.org','new@example.org',X'46726F6D3A20416E6E61203C616E6E61406578616D706C652E6F72673E0A546F3A206E6577406578616D706C652E6F72670A5375626A6563743A204279206D61696C0A4D6573736167652D49443A203C332E3540636C69656E742E6578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A42656E203C62656E406578616D706C652E6F72673E0A436C656F203C636C656F2E6E6577406578616D706C652E6F72673E0A','<3.5@client.example.org>','played','');
INSERT INTO "incoming" VALUES(6,'57a1079943fabccc7ff43d37a7844d10e41c09caf3cbc3222dd0c12901812578','2026-11-02 01:00:00.000000','anna@example.org','new+ppex6bnb74ag4zlxxoooets3tsvuvbgxw5jq@example.org',X'46726F6D3A20416E6E61203C616E6E61406578616D706C652E6F72673E0A546F3A206E65772B7070657836626E6237346167347A6C78786F6F6F65747333747376757662677877356A71406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A20416E6E6127732067616D650A4D6573736167652D49443A203C332E3640636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C7070657836626E622E302E322E70726F706F73616C35406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A7965730A','<3.6@client.example.org>','played','');
INSERT INTO "incoming" VALUES(7,'12b0f3aa17b5eb034b9ce29210176837e2fb8d044cac87acbca05892e9a3ab71','2026-11-02 01:00:00.000000','dirk@example.org','new@example.org',X'46726F6D3A204469726B203C6469726B406578616D706C652E6F72673E0A546F3A206E6577406578616D706C652E6F72670A5375626A6563743A204469726B27730A4D6573736167652D49443A203C332E3740636C69656E742E6578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A416E6E61203C616E6E61406578616D706C652E6F72673E0A','<3.7@client.example.org>','played','');
INSERT INTO "incoming" VALUES(8,'24d90f2bae8e3b153e657ea120b17ee836544f5547fbdc3a9d242ed81222b7a6','2026-11-02 01:00:00.000000','dirk@example.org','new+e3udeiyk74ag4zlx7dxusik5ew7v3qm3wqxa@example.org',X'46726F6D3A204469726B203C6469726B406578616D706C652E6F72673E0A546F3A206E65772B653375646569796B37346167347A6C783764787573696B356577377633716D3377717861406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F733A204469726B27730A4D6573736167652D49443A203C332E3840636C69656E742E6578616D706C652E6F72673E0A496E2D5265706C792D546F3A203C653375646569796B2E302E302E70726F706F73616C37406578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A42656E203C62656E406578616D706C652E6F72673E0A323420686F7572730A','<3.8@client.example.org>','played','');
INSERT INTO "incoming" VALUES(9,'f72592432601fdac1136d48a38df567a785ab05db2044b1d3c9810e570bc2174','2026-11-02 01:00:00.000000','ben@example.org','play+zzzzbbbbccccdddd@example.org',X'46726F6D3A2042656E203C62656E406578616D706C652E6F72673E0A546F3A20706C61792B7A7A7A7A626262626363636364646464406578616D706C652E6F72670A5375626A6563743A2052653A20416C6578616E64726F730A4D6573736167652D49443A203C332E3940636C69656E742E6578616D706C652E6F72673E0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A6163636570740A','<3.9@client.example.org>','waiting','');
CREATE TABLE kept (
	id INTEGER NOT NULL, 
	recipient VARCHAR NOT NULL, 
	message_id VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	raw BLOB NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (message_id)
);
INSERT INTO "kept" VALUES(1,'anna@example.org','<kept.1@example.org>','2026-11-02 01:00:00.000000',X'46726F6D3A20416C6578616E64726F73203C616C6578616E64726F73406578616D706C652E6F72673E0D0A546F3A20616E6E61406578616D706C652E6F72670D0A5375626A6563743A2041206B657074206D61696C0D0A4D6573736167652D49443A203C6B6570742E31406578616D706C652E6F72673E0D0A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220D0A436F6E74656E742D5472616E736665722D456E636F64696E673A20386269740D0A4D494D452D56657273696F6E3A20312E300D0A0D0A4B65707420696E20746865206275696C742D696E206D61696C626F783A20C3A92E0D0A');
CREATE TABLE message (
	id INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	seat INTEGER, 
	addressee INTEGER, 
	words TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "message" VALUES(1,'oduoaizv','2026-11-01 13:00:00.000000',3,NULL,'Hello everybody; it''s a fine day – één dag.');
INSERT INTO "message" VALUES(2,'oduoaizv','2026-11-01 13:00:00.000000',0,2,'psst, Cleo');
INSERT INTO "message" VALUES(3,'oduoaizv','2026-11-01 13:00:00.000000',2,NULL,'Not told by any letter yet.');
INSERT INTO "message" VALUES(4,'oduoaizv','2026-11-01 13:00:00.000000',NULL,0,'{"says": "resigned", "name": "Dirk"}');
INSERT INTO "message" VALUES(5,'oduoaizv','2026-11-01 13:00:00.000000',NULL,2,'{"says": "resigned", "name": "Dirk"}');
INSERT INTO "message" VALUES(6,'oduoaizv','2026-11-01 13:00:00.000000',NULL,3,'{"says": "resigned", "name": "Dirk"}');
INSERT INTO "message" VALUES(7,'oduoaizv','2026-11-02 01:00:00.000000',NULL,0,'{"says": "second added", "name": "Ben", "address": "ben.second@example.org"}');
INSERT INTO "message" VALUES(8,'oduoaizv','2026-11-02 01:00:00.000000',NULL,-1,'{"says": "returned", "name": "Anna"}');
INSERT INTO "message" VALUES(9,'oduoaizv','2026-11-02 01:00:00.000000',NULL,-1,'{"says": "returned", "name": "Anna"}');
INSERT INTO "message" VALUES(10,'oduoaizv','2026-11-02 01:00:00.000000',NULL,-1,'{"says": "returned", "name": "Anna"}');
INSERT INTO "message" VALUES(11,'oduoaizv','2026-11-02 01:00:00.000000',3,2,'Do you read this?');
INSERT INTO "message" VALUES(12,'oduoaizv','2026-11-02 01:00:00.000000',NULL,0,'{"says": "returned", "name": "Cleo"}');
INSERT INTO "message" VALUES(13,'oduoaizv','2026-11-02 01:00:00.000000',NULL,1,'{"says": "returned", "name": "Cleo"}');
INSERT INTO "message" VALUES(14,'oduoaizv','2026-11-02 01:00:00.000000',NULL,3,'{"says": "returned", "name": "Cleo"}');
INSERT INTO "message" VALUES(15,'oduoaizv','2026-11-02 01:00:00.000000',0,3,'Your clock, my walls.');
CREATE TABLE outgoing (
	id INTEGER NOT NULL, 
	message_id VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	recipient VARCHAR NOT NULL, 
	detail TEXT NOT NULL, 
	answers VARCHAR, 
	state VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	tries INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	queued_at DATETIME NOT NULL, 
	due_at DATETIME NOT NULL, 
	sent_at DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (message_id), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "outgoing" VALUES(1,'<7xo545zb.2.0.turn@example.org>','7xo545zb',2,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(2,'<7xo545zb.4.0.turn@example.org>','7xo545zb',4,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(3,'<7xo545zb.6.0.turn@example.org>','7xo545zb',6,0,'turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(4,'<7xo545zb.24.0.over@example.org>','7xo545zb',24,0,'over','anna@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

House has won

The game ended, because 101 points were reached.

Thank you for playing, A','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(5,'<ve64fsvc.1.0.invitation@example.org>','ve64fsvc',1,0,'invitation','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Ben?

A game of Alexandros with Cleo, Anna and Dirk: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(6,'<ve64fsvc.1.1.invitation@example.org>','ve64fsvc',1,1,'invitation','cleo@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Doe je mee, Cleo?

Een potje Alexandros met Ben, Anna en Dirk: het bordspel van Leo Co','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(7,'<ve64fsvc.1.2.invitation@example.org>','ve64fsvc',1,2,'invitation','anna@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Anna?

A game of Alexandros with Ben, Cleo and Dirk: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(8,'<ve64fsvc.1.3.invitation@example.org>','ve64fsvc',1,3,'invitation','dirk@example.org','{"numbers": {}}',NULL,'sent','',2,'--- Write above this line ---

Will you play, Dirk?

A game of Alexandros with Ben, Cleo and Anna: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000');
INSERT INTO "outgoing" VALUES(9,'<ve64fsvc.3.0.accepted1@example.org>','ve64fsvc',3,0,'accepted','ben@example.org','{"numbers": {}}','<3.1@client.example.org>','sent','',1,'--- Write above this line ---

You are in, Ben

Thank you. The game begins when everybody has accepted; you get a mail t','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(10,'<oduoaizv.2.1.welcome@example.org>','oduoaizv',2,1,'welcome','dirk@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

The game has begun, Dirk

Ben begins. When it is your turn you get a mail like this one, ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(11,'<oduoaizv.2.2.welcome@example.org>','oduoaizv',2,2,'welcome','cleo@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Het spel is begonnen, Cleo

Ben begint. Ben je aan de beurt, dan krijg je een mail als','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(12,'<oduoaizv.2.3.welcome@example.org>','oduoaizv',2,3,'welcome','anna@example.org','{"numbers": {}}',NULL,'failed','it came back: 550 5.1.1 no such user',1,'--- Write above this line ---

The game has begun, Anna

Ben begins. When it is your turn you get a mail like this one, ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(13,'<oduoaizv.2.0.turn@example.org>','oduoaizv',2,0,'turn','ben@example.org','{"numbers": {"1": "B2", "2": "B4", "3": "B6", "4": "B8", "5": "C3", "6": "C5", "7": "C7", "8": "D4"}}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Ben

Choose the temple, the lyre or a card from your hand, and march.

Please ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(14,'<oduoaizv.2.0.refused2@example.org>','oduoaizv',2,0,'refused','ben@example.org','{"sentence": "\u201cfly to the moon\u201d: \u201cfly\u201d is no action.", "undone": ["fly to the moon"], "in_a_row": 1, "numbers": {}}','<3.2@client.example.org>','sent','',1,'--- Write above this line ---

Your mail was not played

“fly to the moon”: “fly” is no action.

It is Dirk''s turn; there is nothing for you to do now.

Dirk has until Tue 3 November 2026, 12:00 UTC.

Look at the game:
http://127.0.0.1:8000/t/oduoaizvaabvvj5ipmvm3ju6cocquqq

== At a glance ==

  * Points: you 0, Dirk 0, Cleo 0 and Anna 0.
  * Your hand: an amphora, 2 lyres and a soldier.
  * The display: a temple and a horse.

== How the game stands ==

Board: Alexandros
Edition: rio-grande
You: Ben (seat 1)
Turn: number 2, of Dirk (seat 2)
Phase: a card is to be chosen
Turns without a wall or a point: 0 of 40
Your hand: 1 amphora, 2 lyres, 1 soldier
Display: 1 temple, 1 horse
Supply: 46 cards
Discard pile: none
Walls left: 63 black, 10 red
Seat 1: Ben, blue circle, 0 points, 4 cards in hand, 4 guards in supply,
  a levy would give 0
Seat 2: Dirk, red square, 0 points, 1 card in hand, 4 guards in supply,
  a levy would give 0
Seat 3: Cleo, gold diamond, 0 points, 1 card in hand, 4 guards in supply,
  a levy would give 0
Seat 4: Anna, violet triangle, 0 points, 1 card in hand, 4 guards in supply,
  a levy would give 0
Alexander: on C3
Guards of seat 1: none on the board
Guards of seat 2: none on the board
Guards of seat 3: none on the board
Guards of seat 4: none on the board
Province AB3: worth 112, 202 spaces, free, soldier Philippi AB5,
  horse Perinthus AB7, soldier Armavir AB17, horse Derbent AB20,
  amphora Aegae BC3, temple Sestos BC7, soldier Granicus BC8,
  temple Trapezus BC15, lyre Tigranocerta BC16, temple Artaxata BC19,
  amphora Dahae BC21, temple Thara BC24, soldier Chorasmia BC25,
  lyre Larissa CD4, horse Troy CD8, lyre Gordium CD10, amphora Mazaca CD12,
  soldier Melitene CD14, amphora Nisibis CD16, horse Arbela CD18,
  lyre Gazaca CD20, lyre Nisa CD25, amphora Bagae CD26, amphora Athens DE7,
  temple Ephesus DE10, horse Celaenae DE12, lyre Thapsacus DE14,
  temple Nineveh DE16, soldier Ecbatana DE19, temple Zadracarta DE21,
  horse Sirynca DE23, soldier Susia DE24, temple Merv DE26,
  horse Nautaca DE27, soldier Oxiana DE29, soldier Sparta EF5,
  horse Corinth EF6, lyre Halicarnassus EF9, amphora Byblus EF11,
  soldier Dura EF15, amphora Opis EF17, horse Bisitun EF19,
  amphora Rhagae EF22, lyre Hecatompylos EF23, lyre Bactra EF28,
  amphora Drapsaca EF29, temple Sidon FG13, temple Sittace FG18,
  lyre Susa FG19, soldier Gabae FG21, temple Carmana FG24,
  horse Artacoana FG26, soldier Ortospana FG28, temple Bazira FG31,
  horse Tyre GH12, amphora Damascus GH14, lyre Babylon GH15,
  amphora Charax GH19, amphora Prophthasia GH25, lyre Phrada GH27,
  horse Peucelaotis GH30, lyre Taxila GH31, amphora Paraetonium HI6,
  soldier Alexandria HI7, lyre Naucratis HI9, soldier Gaza HI13,
  temple Jerusalem HI15, horse Uruk HI17, lyre Gogana HI22,
  soldier Pasargadae HI23, horse Salmus HI24, temple Arachotus HI27,
  amphora Bucephala HI31, soldier Sangala HI32, temple Siwa IJ5,
  horse Memphis IJ8, amphora Coptos IJ14, temple Harmozia IJ23,
  amphora Pura IJ27, soldier Ora IJ28, horse Hyphasis IJ33,
  lyre Hermopolis JK7, temple Thebes JK9, soldier Syene JK10,
  horse Berenice JK12, lyre Philae JK13, horse Cocala JK28,
  temple Rhambacia JK29, lyre Patala JK31, amphora Musicanus JK32
Walls: A3-B2-C3

The same as a drawing: points are dots, @ is Alexander, lines are walls, the
letters t a h l s are symbols, and a figure is the seat whose
guard stands there.

                   1                   2                   3
   2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4
A    .   .   .               .   .   .   .                            A
    /    s   h                   s     h
B  .   .   .   .           .   .   .   .   .   .   .   .              B
    \a       t s             t l     t   a     t s
C    @   .   .   .   .   .   .   .   .   .   .   .   .   .            C
       l       h   l   a   s   a   h   l         l a
D      .   .   .   .   .   .   .   .   .   .   .   .   .   .          D
             a     t   h   l   t     s   t   h s   t h   s
E        .   .   .   .   .   .   .   .   .   .   .   .   .   .        E
         s h     l   a       s   a   h     a l         l a
F      .   .   .   .   .   .   .   .   .   .   .   .   .   .   .      F
                         t         t l   s     t   h   s     t
G                    .   .   .   .   .   .   .   .   .   .   .        G
                       h   a l       a           a   l     h l
H          .   .   .   .   .   .   .   .   .   .   .   .   .   .      H
           a s   l       s   t   h         l s h     t       a s
I        .   .   .   .   .   .   .       .   .   .   .   .   .   .    I
         t     h           a                 t       a s         h
J      .   .   .   .   .   .   .           .   .   .   .   .   .   .  J
             l   t s   h l                             h t   l a
K        .   .   .   .   .   .                   .   .   .   .   .    K

== How to play by mail ==

  * To write to everybody, reply with a line of its own such as
    “say: Good luck!”; to one alone, with one such as “tell Dirk: Good luck!”.
  * The links and the address of this mail work without a password and are
    yours alone: do not pass it on.
  * A turn may take 2 days; after that the server plays a quiet turn for the
    one who is late.

You get this mail because you play in “Friday”.

Your settings (which mails, how often, in which language):
http://127.0.0.1:8000/t/oduoaizvaabvvj5ipmvm3ju6cocquqq/settings

No more mails about this game:
http://127.0.0.1:8000/u/oduoaizvadmznxhrfmcallmttm
','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(15,'<oduoaizv.3.0.answer3@example.org>','oduoaizv',3,0,'answer','ben@example.org','{"done": ["choose lyre", "march Larissa A3-B2-C3", "draw", "draw"], "undone": [], "why": "", "after": 3, "posted": [], "asked": [], "numbers": {}}','<3.3@client.example.org>','sent','',1,'--- Write above this line ---

Done, Ben

It is Dirk''s turn; there is nothing for you to do now.

Dirk has until Tue 3 N','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(16,'<oduoaizv.3.1.turn@example.org>','oduoaizv',3,1,'turn','dirk@example.org','{"numbers": {"1": "A7", "2": "B6", "3": "B8", "4": "C7", "5": "C9", "6": "D8"}}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Dirk

Choose the temple, the horse or a card from your hand, and march.

Pleas','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000');
INSERT INTO "outgoing" VALUES(17,'<oduoaizv.4.2.turn@example.org>','oduoaizv',4,2,'turn','cleo@example.org','{"numbers": {"1": "B6", "2": "B8", "3": "C7", "4": "C11", "5": "C13", "6": "D6", "7": "D8", "8": "D12", "9": "E7"}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Jouw beurt, Cleo

Kies de tempel, de waterkruik of een kaart uit je hand, en marcheer.','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000');
INSERT INTO "outgoing" VALUES(18,'<oduoaizv.4.0.news@example.org>','oduoaizv',4,0,'news','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Dirk has played

It is Cleo''s turn; there is nothing for you to do now.

Cleo has until T','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000');
INSERT INTO "outgoing" VALUES(19,'<oduoaizv.4.0.message1@example.org>','oduoaizv',4,0,'message','ben@example.org','{}',NULL,'dropped','it is told in letter 18',0,'','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(20,'<oduoaizv.4.0.message3@example.org>','oduoaizv',4,0,'message','ben@example.org','{}',NULL,'dropped','it is told in letter 21',0,'','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(21,'<oduoaizv.5.0.message4@example.org>','oduoaizv',5,0,'message','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Cleo writes to you

== Messages ==

Cleo writes:
  | Not told by any letter yet.

  * Dir','2026-11-01 13:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(22,'<cpydrziq.2.1.welcome@example.org>','cpydrziq',2,1,'welcome','dirk@example.org','{}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-01 12:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(23,'<cpydrziq.3.1.turn@example.org>','cpydrziq',3,1,'turn','dirk@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(24,'<cpydrziq.3.1.reminder1@example.org>','cpydrziq',3,1,'reminder1','dirk@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 19:00:00.000000','2026-11-01 19:00:00.000000',NULL);
INSERT INTO "outgoing" VALUES(25,'<cpydrziq.4.1.time_passed@example.org>','cpydrziq',4,1,'time_passed','dirk@example.org','{"seat": 1, "done": ["choose horse", "march Perinthus C3-B4-B6", "draw", "draw"]}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(26,'<cpydrziq.5.1.turn@example.org>','cpydrziq',5,1,'turn','dirk@example.org','{}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(27,'<cpydrziq.5.1.stopped1793581200.0@example.org>','cpydrziq',5,1,'stopped','dirk@example.org','{"everywhere": false, "numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

No more mails, Dirk

As you asked, this is the last mail about “With the house”.

It is y','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(28,'<oduoaizv.732e8f46411883f648dd6dc@example.org>','oduoaizv',5,3,'confirm','anna.new@example.org','{"code": "y3mmq5miiqlbymv4xj3ygmd3lr", "numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Is this your address, Anna?

Somebody, most likely you, wants the mails for Anna to
come ','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(29,'<oduoaizv.d5be4eb289e4740f834711c@example.org>','oduoaizv',5,2,'confirm','cleo.new@example.org','{"code": "pe433uzia5advkpyz6an4w232l", "numbers": {}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Is dit jouw adres, Cleo?

Iemand, waarschijnlijk jijzelf, wil dat de mails voor Cleo v','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(30,'<ve64fsvc.65cf85bfab2a9df2c4d5686@example.org>','ve64fsvc',3,1,'moved','cleo@example.org','{"code": "backtevudcxa7dglkyetg6vrtcfzsv", "address": "cleo.new@example.org", "numbers": {}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Je mails gaan naar een ander adres, Cleo

Vanaf nu gaan de mails voor Cleo naar cleo.n','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(31,'<oduoaizv.05545592730441f875ed98d@example.org>','oduoaizv',5,0,'confirm','ben.second@example.org','{"code": "alsojynztfl6gyduqovdcp6vokltfp", "numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Is this your address, Ben?

Somebody, most likely you, wants the mails for Ben to come to','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(32,'<oduoaizv.5.0.message7@example.org>','oduoaizv',5,0,'message','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL);
INSERT INTO "outgoing" VALUES(33,'<oduoaizv.6.0.message8@example.org>','oduoaizv',6,0,'message','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL);
INSERT INTO "outgoing" VALUES(34,'<oduoaizv.7.2.message11@example.org>','oduoaizv',7,2,'message','cleo.new@example.org','{}',NULL,'failed','it came back: 127.0.0.1:25 refused the address: 550 5.1.1 no such user.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL);
INSERT INTO "outgoing" VALUES(35,'<oduoaizv.8.0.message12@example.org>','oduoaizv',8,0,'message','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL);
INSERT INTO "outgoing" VALUES(36,'<ppex6bnb.0.2.proposal5@example.org>','ppex6bnb',0,2,'proposal','anna@example.org','{"note": "", "numbers": {}}','<3.5@client.example.org>','sent','',1,'--- Write above this line ---

Shall this game begin, Anna?

Nobody has been invited yet. If all is right, confirm it on','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(37,'<ppex6bnb.1.0.invitation@example.org>','ppex6bnb',1,0,'invitation','cleo.new@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Doe je mee, Cleo?

Een potje Alexandros met Ben en Anna: het bordspel van Leo Colovini','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(38,'<ppex6bnb.1.1.invitation@example.org>','ppex6bnb',1,1,'invitation','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Ben?

A game of Alexandros with Cleo and Anna: the board game by Leo Colov','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(39,'<ppex6bnb.1.2.accepted6@example.org>','ppex6bnb',1,2,'accepted','anna@example.org','{"numbers": {}}','<3.6@client.example.org>','sent','',1,'--- Write above this line ---

You are in, Anna

Thank you. The game begins when everybody has accepted; you get a mail ','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(40,'<e3udeiyk.0.0.proposal7@example.org>','e3udeiyk',0,0,'proposal','dirk@example.org','{"note": "", "numbers": {}}','<3.7@client.example.org>','sent','',1,'--- Write above this line ---

Shall this game begin, Dirk?

Nobody has been invited yet. If all is right, confirm it on','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(41,'<omvz2uli.0.1.proposal8@example.org>','omvz2uli',0,1,'proposal','dirk@example.org','{"note": "", "numbers": {}}','<3.8@client.example.org>','sent','',1,'--- Write above this line ---

Shall this game begin, Dirk?

Nobody has been invited yet. If all is right, confirm it on','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
INSERT INTO "outgoing" VALUES(42,'<oduoaizv.9.2.step@example.org>','oduoaizv',9,2,'step','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL);
INSERT INTO "outgoing" VALUES(43,'<oduoaizv.10.2.step@example.org>','oduoaizv',10,2,'step','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL);
CREATE TABLE player (
	id INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (address)
);
INSERT INTO "player" VALUES(1,'anna@example.org','Anna');
INSERT INTO "player" VALUES(2,'ben@example.org','Ben');
INSERT INTO "player" VALUES(3,'cleo.new@example.org','Cleo');
INSERT INTO "player" VALUES(4,'dirk@example.org','Dirk');
CREATE TABLE preference (
	player INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	said TEXT NOT NULL, 
	PRIMARY KEY (player, game), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "preference" VALUES(1,'7xo545zb','{"letters": true, "since": 1793534400}');
INSERT INTO "preference" VALUES(2,'','{"language": "en", "zone": "UTC", "pace": "gathered", "minutes": 30, "hour": 8, "moves": true, "messages": true, "pictures": true, "since": 1793534400}');
INSERT INTO "preference" VALUES(4,'cpydrziq','{"letters": false, "since": 1793581200}');
INSERT INTO "preference" VALUES(1,'','{"language": "en", "zone": "UTC", "pace": "at once", "minutes": 60, "hour": 8, "moves": false, "messages": false, "pictures": false, "since": 1793581200}');
INSERT INTO "preference" VALUES(1,'oduoaizv','{"pace": "daily", "minutes": 60, "hour": 19, "moves": false, "messages": false, "pictures": false, "since": 1793581200}');
INSERT INTO "preference" VALUES(3,'','{"language": "nl", "zone": "Europe/Amsterdam", "pace": "at once", "minutes": 60, "hour": 8, "moves": false, "messages": false, "pictures": false, "since": 1793581200}');
INSERT INTO "preference" VALUES(3,'oduoaizv','{"pace": "at once", "minutes": 60, "hour": 8, "moves": false, "messages": true, "pictures": false, "since": 1793581200}');
CREATE TABLE proposal (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	wishes TEXT NOT NULL, 
	replaced_by VARCHAR NOT NULL, 
	PRIMARY KEY (game), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "proposal" VALUES('ppex6bnb',2,'{"organiser": {"name": "Anna", "address": "anna@example.org"}, "guests": [{"name": "Ben", "address": "ben@example.org"}, {"name": "Cleo", "address": "cleo.new@example.org"}], "houses": 0, "name": "", "edition": "rio-grande", "hours": 48, "language": "en", "unread": [], "unreachable": []}','');
INSERT INTO "proposal" VALUES('e3udeiyk',0,'{"organiser": {"name": "Dirk", "address": "dirk@example.org"}, "guests": [{"name": "Anna", "address": "anna@example.org"}], "houses": 0, "name": "Dirk''s", "edition": "rio-grande", "hours": 48, "language": "en", "unread": [], "unreachable": []}','omvz2uli');
INSERT INTO "proposal" VALUES('omvz2uli',1,'{"organiser": {"name": "Dirk", "address": "dirk@example.org"}, "guests": [{"name": "Anna", "address": "anna@example.org"}, {"name": "Ben", "address": "ben@example.org"}], "houses": 0, "name": "Dirk''s", "edition": "rio-grande", "hours": 24, "language": "en", "unread": [], "unreachable": []}','');
CREATE TABLE resigned (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "resigned" VALUES('oduoaizv',1,'2026-11-01 13:00:00.000000');
CREATE TABLE seating (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	player INTEGER, 
	house BOOLEAN NOT NULL, 
	accepted_at DATETIME, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "seating" VALUES('7xo545zb',0,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('7xo545zb',1,'House',NULL,1,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('ve64fsvc',0,'Ben',2,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('ve64fsvc',1,'Cleo',3,0,NULL);
INSERT INTO "seating" VALUES('ve64fsvc',2,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('ve64fsvc',3,'Dirk',4,0,NULL);
INSERT INTO "seating" VALUES('oduoaizv',0,'Ben',2,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('oduoaizv',1,'Dirk',4,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('oduoaizv',2,'Cleo',3,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('oduoaizv',3,'Anna',1,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('cpydrziq',0,'House',NULL,1,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('cpydrziq',1,'Dirk',4,0,'2026-11-01 12:00:00.000000');
INSERT INTO "seating" VALUES('ppex6bnb',0,'Cleo',3,0,NULL);
INSERT INTO "seating" VALUES('ppex6bnb',1,'Ben',2,0,NULL);
INSERT INTO "seating" VALUES('ppex6bnb',2,'Anna',1,0,'2026-11-02 01:00:00.000000');
INSERT INTO "seating" VALUES('e3udeiyk',0,'Dirk',4,0,NULL);
INSERT INTO "seating" VALUES('omvz2uli',1,'Dirk',4,0,NULL);
CREATE TABLE second (
	player INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	PRIMARY KEY (player), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "second" VALUES(2,'ben.second@example.org');
CREATE INDEX ix_confirmation_player ON confirmation (player);
CREATE INDEX ix_game_deadline ON game (deadline);
CREATE INDEX ix_game_status ON game (status);
CREATE INDEX ix_incoming_message_id ON incoming (message_id);
CREATE INDEX ix_incoming_state ON incoming (state);
CREATE INDEX ix_kept_recipient ON kept (recipient);
CREATE INDEX ix_message_game ON message (game);
CREATE INDEX ix_outgoing_game ON outgoing (game);
CREATE INDEX ix_outgoing_state ON outgoing (state);
CREATE INDEX ix_seating_player ON seating (player);
COMMIT;
