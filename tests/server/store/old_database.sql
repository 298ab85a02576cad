BEGIN TRANSACTION;
CREATE TABLE absent (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "absent" VALUES('q6yyaluo',0,'2026-11-02 01:33:00.000000');
INSERT INTO "absent" VALUES('4olptyqq',0,'2026-11-02 01:33:00.000000');
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
INSERT INTO "act" VALUES('2gmnvdjx',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Over","board":"Alexandros","edition":"identity-games","hours":24,"seats":["Anna","House"]}]','6a6d953207c0876cbd166f919c603a81881f70336e39e25b098ca5c55b6af0a0');
INSERT INTO "act" VALUES('2gmnvdjx',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"identity-games","seats":["Anna","House"],"hands":[["temple"],["horse"]],"display":["temple","lyre"]}]','d9a6e6ef607ea3220f803e794174eb7da3673c9eaf8787c90671cc825acc7cd5');
INSERT INTO "act" VALUES('2gmnvdjx',3,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Larissa A3-B4-C5-D4; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B4","C5","D4"],"walls":["A3-B4","B4-C5","C5-D4"],"red":0},{"type":"turn_ended","seat":0}]','0dcb44d835deaac910ffc99d5384ccfbe0f24bcb3bf63e21fee9239b44bb758f');
INSERT INTO "act" VALUES('2gmnvdjx',4,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Sestos D4-D6-C7-B8; occupy Philippi; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Sestos","path":["D4","D6","C7","B8"],"walls":["C7-D6","B8-C7"],"red":0},{"type":"province_occupied","seat":1,"guards":["Philippi"],"paid":["temple","horse"]},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"turn_ended","seat":1}]','569529b74e13b4709f1676d82e3ea0351c59699978aa61441c706bd01d09daf6');
INSERT INTO "act" VALUES('2gmnvdjx',5,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Gordium B8-C9-D10; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Gordium","path":["B8","C9","D10"],"walls":["C9-D10"],"red":0},{"type":"turn_ended","seat":0}]','a0fc67b1a6d06f2b350f0038ceaf1a4e63204970f3c3b8b7b97dfd3466418786');
INSERT INTO "act" VALUES('2gmnvdjx',6,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Troy D10-C9; take soldier; levy soldier','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Troy","path":["D10","C9"],"walls":[],"red":0},{"type":"card_taken","seat":1,"card":"soldier"},{"type":"taxes_levied","seat":1,"card":"soldier","gains":[0,6]},{"type":"turn_ended","seat":1},{"type":"card_opened","card":"temple"}]','ee10ed2827e6e0e60674e517ad36e1faa5ed88cf23d97314a5f6da36e7406f97');
INSERT INTO "act" VALUES('2gmnvdjx',7,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Ephesus C9-D8-E9; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["C9","D8","E9"],"walls":["C9-D8","D8-E9"],"red":0},{"type":"turn_ended","seat":0}]','6655fcf9239311273cef0393eb9ef4cbd703ded544ca8f38a93509d288362952');
INSERT INTO "act" VALUES('2gmnvdjx',8,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Sidon E9-F10-F12; draw; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Sidon","path":["E9","F10","F12"],"walls":["E9-F10"],"red":0},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"card_drawn","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1}]','fb95cbb5e34c4d8e238b8f3c2717bb9d1c89fd24a85bd459838ab39e1791e64d');
INSERT INTO "act" VALUES('2gmnvdjx',9,'2026-11-01T12:00:00.000+00:00',0,'link','play temple; march Ephesus F12-E11-E9; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["F12","E11","E9"],"walls":["E11-F12","E9-E11"],"red":0},{"type":"turn_ended","seat":0}]','e21cd44842e6d702d74ceccc751bb879a628bb26eda69233f1cf1a596aa10279');
INSERT INTO "act" VALUES('2gmnvdjx',10,'2026-11-01T12:00:00.000+00:00',1,'house','choose amphora; march Athens E9-D8-D6; occupy Byblus; levy amphora','[{"type":"card_chosen","seat":1,"card":"amphora","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Athens","path":["E9","D8","D6"],"walls":["D6-D8"],"red":0},{"type":"province_occupied","seat":1,"guards":["Byblus"],"paid":[]},{"type":"taxes_levied","seat":1,"card":"amphora","gains":[0,7]},{"type":"turn_ended","seat":1}]','9d9d858053c7f003e129bfab2fb55e100ad6941530c7b1820f5df7efd2bd37bd');
INSERT INTO "act" VALUES('2gmnvdjx',11,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Thapsacus D6-D8-D10-E11-E13-E15; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Thapsacus","path":["D6","D8","D10","E11","E13","E15"],"walls":["D8-D10","D10-E11","E11-E13","E13-E15"],"red":0},{"type":"turn_ended","seat":0}]','83511ffb0c517d2ae495ca7c6f18195a255bd9def6dc32767c972f334d14e81d');
INSERT INTO "act" VALUES('2gmnvdjx',12,'2026-11-01T12:00:00.000+00:00',1,'house','choose lyre; march Babylon E15-F14-G13-H14; levy amphora; occupy Sidon','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Babylon","path":["E15","F14","G13","H14"],"walls":["E15-F14","F14-G13","G13-H14"],"red":0},{"type":"taxes_levied","seat":1,"card":"amphora","gains":[0,7]},{"type":"province_occupied","seat":1,"guards":["Sidon"],"paid":[]},{"type":"turn_ended","seat":1}]','9082e133612f0772cead33ce56af74c2169c6eb7e8268f2f9e005ab7c0d7f476');
INSERT INTO "act" VALUES('2gmnvdjx',13,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Philae H14-I15-J14-K13; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Philae","path":["H14","I15","J14","K13"],"walls":["H14-I15","I15-J14","J14-K13"],"red":0},{"type":"turn_ended","seat":0}]','f770be74ec71d65fe67fe27651edab51131ac816ed1b005bd388dd84d7a6a58a');
INSERT INTO "act" VALUES('2gmnvdjx',14,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Uruk K13-J14-I15-H16-H18; levy temple; occupy Uruk','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Uruk","path":["K13","J14","I15","H16","H18"],"walls":["H16-I15","H16-H18"],"red":0},{"type":"taxes_levied","seat":1,"card":"temple","gains":[0,10]},{"type":"province_occupied","seat":1,"guards":["Uruk"],"paid":[]},{"type":"turn_ended","seat":1}]','f6ee57706ae4efa08e7b895003df3580ebe31ba4bb5eef4c0fa7b37e2e9d192c');
INSERT INTO "act" VALUES('2gmnvdjx',15,'2026-11-01T12:00:00.000+00:00',0,'link','choose amphora; march Opis H18-G19-F18-E17; end','[{"type":"card_chosen","seat":0,"card":"amphora","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":0,"target":"Opis","path":["H18","G19","F18","E17"],"walls":["G19-H18","F18-G19","E17-F18"],"red":0},{"type":"turn_ended","seat":0}]','7d22f5a6f78ff557777ed408d7e69a350e9afefd40fb5c342dee614fbdf47f11');
INSERT INTO "act" VALUES('2gmnvdjx',16,'2026-11-01T12:00:00.000+00:00',1,'house','choose soldier; march Ecbatana E17-D18; levy horse; recall Byblus','[{"type":"card_chosen","seat":1,"card":"soldier","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Ecbatana","path":["E17","D18"],"walls":["D18-E17"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,15]},{"type":"guard_recalled","seat":1,"place":"Byblus"},{"type":"turn_ended","seat":1}]','223e24fe0148bd087f9b439f585f7147d123e3c7ea4449b2c1737f199feb2567');
INSERT INTO "act" VALUES('2gmnvdjx',17,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Zadracarta D18-E19-E21; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Zadracarta","path":["D18","E19","E21"],"walls":["D18-E19","E19-E21"],"red":0},{"type":"turn_ended","seat":0}]','e1ec9924d6923555761111beb3c8bba7cfaff37990b9726117136ab0ad16764e');
INSERT INTO "act" VALUES('2gmnvdjx',18,'2026-11-01T12:00:00.000+00:00',1,'house','choose soldier; march Gabae E21-F22-G21; levy horse; occupy Bisitun','[{"type":"card_chosen","seat":1,"card":"soldier","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Gabae","path":["E21","F22","G21"],"walls":["E21-F22","F22-G21"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,14]},{"type":"province_occupied","seat":1,"guards":["Bisitun"],"paid":["lyre","soldier"]},{"type":"turn_ended","seat":1}]','ba93e0bd730d4827007999f119487fcee1c6fa579fe3707c6a4216a8ae0ce57d');
INSERT INTO "act" VALUES('2gmnvdjx',19,'2026-11-01T12:00:00.000+00:00',0,'link','choose temple; march Carmana G21-G23-G25; end','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Carmana","path":["G21","G23","G25"],"walls":["G21-G23","G23-G25"],"red":0},{"type":"turn_ended","seat":0}]','72f257ab19ef3c0bd180f43d489d147a65591f8be2429f2f9b726faa6200c7a3');
INSERT INTO "act" VALUES('2gmnvdjx',20,'2026-11-01T12:00:00.000+00:00',1,'house','choose horse; march Salmus G25-H24; levy horse; take amphora','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Salmus","path":["G25","H24"],"walls":["G25-H24"],"red":0},{"type":"taxes_levied","seat":1,"card":"horse","gains":[0,19]},{"type":"card_taken","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1},{"type":"card_opened","card":"lyre"}]','83b67bd56811f53dca92e40f62651aa62bff5eb545b1794f8f5300ccd6e0abff');
INSERT INTO "act" VALUES('2gmnvdjx',21,'2026-11-01T12:00:00.000+00:00',0,'link','choose lyre; march Phrada H24-H26-H28; end','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":0,"target":"Phrada","path":["H24","H26","H28"],"walls":["H24-H26","H26-H28"],"red":0},{"type":"turn_ended","seat":0}]','7662bebc49f288a7cd80bf5dd1b19d3defefa6d4ee460cc988c69ac97b0d21c0');
INSERT INTO "act" VALUES('2gmnvdjx',22,'2026-11-01T12:00:00.000+00:00',1,'house','choose lyre; march Taxila H28-H30; levy soldier; draw','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Taxila","path":["H28","H30"],"walls":["H28-H30"],"red":0},{"type":"taxes_levied","seat":1,"card":"soldier","gains":[0,19]},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"turn_ended","seat":1}]','d4b4f52d0150e012bc84013888024cec22993905f770b477c56cb731689d932c');
INSERT INTO "act" VALUES('2gmnvdjx',23,'2026-11-01T12:00:00.000+00:00',0,'link','play amphora; march Pura H30-I29-J28-J26; end','[{"type":"card_chosen","seat":0,"card":"amphora","source":"hand"},{"type":"alexander_marched","seat":0,"target":"Pura","path":["H30","I29","J28","J26"],"walls":["H30-I29","I29-J28","J26-J28"],"red":0},{"type":"turn_ended","seat":0}]','5c12b893e6d1802182c164b9c0bfd92577f29e992b61431e94a225976f89fe91');
INSERT INTO "act" VALUES('2gmnvdjx',24,'2026-11-01T12:00:00.000+00:00',1,'house','choose temple; march Harmozia J26-J24; levy temple','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":1,"target":"Harmozia","path":["J26","J24"],"walls":[],"red":0},{"type":"taxes_levied","seat":1,"card":"temple","gains":[0,19]},{"type":"game_ended","reason":"points","winners":[1]}]','914f76b52bdcbb74c82fc83af8ed39f8fdbe871616337070befe6df32cc9b82e');
INSERT INTO "act" VALUES('epajbijf',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Waiting \u2013 \u00e9","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Ben","Cleo","Anna","Dirk"]}]','ded14e4f8742138f21a4d1ef3aa74558de1792e3640c1b7fe356352359450f2b');
INSERT INTO "act" VALUES('epajbijf',2,'2026-11-01T12:00:00.000+00:00',2,'link','accept','[{"type":"seat_accepted","seat":2}]','03c48c50cb3d3f8d6601a4bb4f450af604e5085226c6582da2bf82cefa955454');
INSERT INTO "act" VALUES('epajbijf',3,'2026-11-01T12:00:00.000+00:00',0,'reply','accept','[{"type":"seat_accepted","seat":0}]','28b4482ae69038cd5f00006069c1c43e7638d857db69ddb07bad6442e2ad7d7d');
INSERT INTO "act" VALUES('u3tbh3h6',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Friday","board":"Alexandros","edition":"rio-grande","hours":48,"seats":["Ben","Dirk","Cleo","Anna"],"watched":true}]','846c508fa8adf642d0c03db637b517b05a39b9d569949a01db2fc9155bdab6cc');
INSERT INTO "act" VALUES('u3tbh3h6',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Ben","Dirk","Cleo","Anna"],"hands":[["amphora"],["horse"],["temple"],["lyre"]],"display":["temple","lyre"]}]','1ed90fbe6898c10af1a56d21e131831a2f06ca0fdbe62ede968d5f5a9ddd5fed');
INSERT INTO "act" VALUES('u3tbh3h6',3,'2026-11-01T12:00:00.000+00:00',0,'reply','choose lyre; march Larissa A3-B2-C3; draw; draw','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["A3","B2","C3"],"walls":["A3-B2","B2-C3"],"red":0},{"type":"card_drawn","seat":0,"card":"lyre"},{"type":"card_drawn","seat":0,"card":"soldier"},{"type":"turn_ended","seat":0}]','4d1e9a33a0da4e694cd2d589063570a65981b3ee9b395d325136a95e5eb3579f');
INSERT INTO "act" VALUES('u3tbh3h6',4,'2026-11-01T13:00:00.000+00:00',1,'link','choose horse; march Perinthus C3-C5-B6-A7; occupy Philippi+Aegae; recall Aegae','[{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":1,"target":"Perinthus","path":["C3","C5","B6","A7"],"walls":["C3-C5","B6-C5","A7-B6"],"red":0},{"type":"province_occupied","seat":1,"guards":["Philippi","Aegae"],"paid":[]},{"type":"guard_recalled","seat":1,"place":"Aegae"},{"type":"turn_ended","seat":1}]','7f53a6bbc1f2244d6a91f550d8719d8b70c1526ef5082daca6a53267362d3585');
INSERT INTO "act" VALUES('u3tbh3h6',5,'2026-11-01T13:00:00.000+00:00',1,'link','resign','[{"type":"seat_resigned","seat":1}]','8c915d5fa8276f3c2ebc6a7a993fa782650ea64b8acadc829d34a779db022f68');
INSERT INTO "act" VALUES('dsbpbys4',1,'2026-11-01T12:00:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"With the house","board":"Alexandros","edition":"rio-grande","hours":12,"seats":["House","Dirk"]}]','80f09df7187675e759ef115ce60fb0b1e21252ba1fe602fe8b91174828848574');
INSERT INTO "act" VALUES('dsbpbys4',2,'2026-11-01T12:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["House","Dirk"],"hands":[["lyre"],["lyre"]],"display":["amphora","lyre"]}]','fca94ccee480a5496446204396dcf56cc103e9cc33a2d531e58b3b68cc9dd2ea');
INSERT INTO "act" VALUES('dsbpbys4',3,'2026-11-01T12:00:00.000+00:00',0,'house','choose amphora; march Aegae A3-B4-C3; occupy Aegae; levy amphora','[{"type":"card_chosen","seat":0,"card":"amphora","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Aegae","path":["A3","B4","C3"],"walls":["A3-B4","B4-C3"],"red":0},{"type":"province_occupied","seat":0,"guards":["Aegae"],"paid":[]},{"type":"taxes_levied","seat":0,"card":"amphora","gains":[1,0]},{"type":"turn_ended","seat":0}]','a87bd83ec5202cc4503db39b06f0bf4e0cb2f789a94cb0682b40c82e8e0b327b');
INSERT INTO "act" VALUES('dsbpbys4',4,'2026-11-02T01:00:00.000+00:00',1,'clock','choose horse; march Perinthus C3-B4-B6; draw; draw','[{"type":"turn_timed_out","seat":1},{"type":"card_chosen","seat":1,"card":"horse","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Perinthus","path":["C3","B4","B6"],"walls":["B4-B6"],"red":0},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"card_drawn","seat":1,"card":"soldier"},{"type":"turn_ended","seat":1}]','4a4d11e596b7888f8636b4c7c6565b78e928f4b6565c9277617ffd01751ede72');
INSERT INTO "act" VALUES('dsbpbys4',5,'2026-11-02T01:00:00.000+00:00',0,'house','choose lyre; march Larissa B6-C5-D4; occupy Larissa; levy lyre','[{"type":"card_chosen","seat":0,"card":"lyre","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Larissa","path":["B6","C5","D4"],"walls":["B6-C5","C5-D4"],"red":0},{"type":"province_occupied","seat":0,"guards":["Larissa"],"paid":[]},{"type":"taxes_levied","seat":0,"card":"lyre","gains":[3,0]},{"type":"turn_ended","seat":0}]','141be5b32ac4f20e20e339838c23573142b12f8ec72dcfb8888d6c7495184f6e');
INSERT INTO "act" VALUES('u3tbh3h6',6,'2026-11-02T01:00:00.000+00:00',NULL,'server','','[{"type":"clock_stopped","seat":3}]','2da312699ca11b18e49d330bf64de5f05bb64846ba5584035dc1cfe86406121d');
INSERT INTO "act" VALUES('u3tbh3h6',7,'2026-11-02T01:00:00.000+00:00',NULL,'server','','[{"type":"clock_resumed","seat":3}]','72f19bc81c1e2a2692b6dc50335a79adef95a876d57796c402b3a5ea762dd3bb');
INSERT INTO "act" VALUES('u3tbh3h6',8,'2026-11-02T01:00:00.000+00:00',NULL,'server','','[{"type":"clock_stopped","seat":2}]','d33cb54a25ceab658a801edc629279b7d0f8ae6862445bb4efce91abaf6093fe');
INSERT INTO "act" VALUES('rp2extbw',1,'2026-11-02T01:00:00.000+00:00',2,'reply','yes','[{"type":"game_opened","name":"Anna''s game","board":"Alexandros","edition":"rio-grande","hours":48,"seats":["Cleo","Ben","Anna"]},{"type":"seat_accepted","seat":2}]','d788b415e65182edfb38c4f08fe88fad196f196c1e17cfd196e5f62ee417fbad');
INSERT INTO "act" VALUES('ytgiz4i7',1,'2026-11-02T01:00:00.000+00:00',0,'operator','','[{"type":"game_opened","name":"Open table","board":"Alexandros","edition":"rio-grande","hours":48,"seats":["Anna","","",""],"joined_by":"all","watched":true},{"type":"seat_accepted","seat":0}]','283671bfdd8bca9a970fa08d6f0ff5cdd3148b369cc01cc23d2e0588e485ace3');
INSERT INTO "act" VALUES('ytgiz4i7',2,'2026-11-02T01:00:00.000+00:00',NULL,'web','ask','[{"type":"seat_joined","seat":1,"name":"Ben"}]','1e5b1de5c41148f79f22db9eec196fde9c38b4394ec940c1cea4f22ad49e373c');
INSERT INTO "act" VALUES('ytgiz4i7',3,'2026-11-02T01:00:00.000+00:00',1,'web','decline','[{"type":"seat_left","seat":1}]','55f7a8544e235ece6302edfc099a260c2dd4c33f50e9224e2e6549feff6ab530');
INSERT INTO "act" VALUES('ytgiz4i7',4,'2026-11-02T01:00:00.000+00:00',1,'web','join','[{"type":"seat_joined","seat":1,"name":"Dirk"},{"type":"seat_accepted","seat":1}]','9daf7ba08ad5b73e4bccd67157066ba2a6cd676e6de394b80bc4bff9d34a45f7');
INSERT INTO "act" VALUES('ytgiz4i7',5,'2026-11-02T01:00:00.000+00:00',NULL,'web','ask','[{"type":"seat_joined","seat":2,"name":"Ben"}]','b6565291dcb071d50275b210e6e10bef4f7fd2d617fa1401fd0a9d64795a8ef1');
INSERT INTO "act" VALUES('2itlxqnv',1,'2026-11-02T01:00:00.000+00:00',0,'operator','','[{"type":"game_opened","name":"Called off","board":"Alexandros","edition":"rio-grande","hours":48,"seats":["Anna","Dirk"]},{"type":"seat_accepted","seat":0}]','764649dc1d79784c8a99db9f651050241cb6cdbfcf6c363a9d0e9bf685278122');
INSERT INTO "act" VALUES('2itlxqnv',2,'2026-11-02T01:00:00.000+00:00',NULL,'web','cancel','[{"type":"game_cancelled"}]','e7ed9d03f60d6dbc89187a6e652a6ec61d856b06c6bbf626e75a10d552048168');
INSERT INTO "act" VALUES('d7pmnptz',1,'2026-11-02T01:00:00.000+00:00',0,'web','rematch','[{"type":"game_opened","name":"Over, again","board":"Alexandros","edition":"identity-games","hours":24,"seats":["Anna","House"],"joined_by":"link","rematch_of":"2gmnvdjx"},{"type":"seat_accepted","seat":0}]','62bf91c5aa214644bda247ab12cd0d9888b96e6a1d3fe011eaaf5cb456ba56b3');
INSERT INTO "act" VALUES('d7pmnptz',2,'2026-11-02T01:00:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"identity-games","seats":["Anna","House"],"hands":[["amphora"],["amphora"]],"display":["amphora","soldier"]}]','8d745eca2c497e3851ca02172bcd19a7feed80b1d5439d67512e34b9b1cc881f');
INSERT INTO "act" VALUES('u3tbh3h6',9,'2026-11-02T01:00:00.000+00:00',2,'link','choose amphora','[{"type":"card_chosen","seat":2,"card":"amphora","source":"display"},{"type":"card_opened","card":"soldier"}]','484687067ad2d6b515944ccaa09c49bebc0cb1c6b23a4b5c1c9509c31b7e854c');
INSERT INTO "act" VALUES('u3tbh3h6',10,'2026-11-02T01:00:00.000+00:00',2,'link','march Athens A7-B6-C7-D6','[{"type":"alexander_marched","seat":2,"target":"Athens","path":["A7","B6","C7","D6"],"walls":["B6-C7","C7-D6"],"red":0}]','68db76184050cd813bd0806ba6decf6e3b5a08a8103a5c2af1f6cd3bb9767677');
INSERT INTO "act" VALUES('dsbpbys4',6,'2026-11-02T01:31:00.000+00:00',1,'web','choose temple; march Sestos D4-C5-B6; draw; draw','[{"type":"card_chosen","seat":1,"card":"temple","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":1,"target":"Sestos","path":["D4","C5","B6"],"walls":[],"red":0},{"type":"card_drawn","seat":1,"card":"soldier"},{"type":"card_drawn","seat":1,"card":"temple"},{"type":"turn_ended","seat":1}]','aa703307791f11cd3b0780ca33e1476224ddbb855a889893fd318786bb6e1a3d');
INSERT INTO "act" VALUES('dsbpbys4',7,'2026-11-02T01:31:00.000+00:00',0,'house','choose temple; march Ephesus B6-B8-C9-D10; levy lyre; take amphora','[{"type":"card_chosen","seat":0,"card":"temple","source":"display"},{"type":"card_opened","card":"amphora"},{"type":"alexander_marched","seat":0,"target":"Ephesus","path":["B6","B8","C9","D10"],"walls":["B6-B8","B8-C9","C9-D10"],"red":0},{"type":"taxes_levied","seat":0,"card":"lyre","gains":[3,0]},{"type":"card_taken","seat":0,"card":"amphora"},{"type":"turn_ended","seat":0},{"type":"card_opened","card":"amphora"}]','466e001b6310d83a44c13266625594afe3b4c2ba18509606d4fcd98ca95a9e77');
INSERT INTO "act" VALUES('dsbpbys4',8,'2026-11-02T01:32:00.000+00:00',1,'web','choose amphora; march Athens D10-D8; draw; draw','[{"type":"card_chosen","seat":1,"card":"amphora","source":"display"},{"type":"card_opened","card":"lyre"},{"type":"alexander_marched","seat":1,"target":"Athens","path":["D10","D8"],"walls":["D8-D10"],"red":0},{"type":"card_drawn","seat":1,"card":"lyre"},{"type":"card_drawn","seat":1,"card":"soldier"},{"type":"turn_ended","seat":1}]','40dd1acf93a604e667d28eacaf320cb70d8a682cc9cb570d0868480d6a50c770');
INSERT INTO "act" VALUES('tsfkwgne',1,'2026-11-02T01:33:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"With a reserve","board":"Alexandros","edition":"rio-grande","hours":72,"bank":240,"refill":12,"seats":["Ben","Anna"]}]','617d293ec5fe204defcc36bc2dfbb5733f1930979bf073b4752074e231d8d876');
INSERT INTO "act" VALUES('tsfkwgne',2,'2026-11-02T01:33:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Ben","Anna"],"hands":[["lyre"],["soldier"]],"display":["temple","soldier"]}]','e0190f19eb1904fbe75290f527c052d7681a7c1e0ff97dfb617569b5d8d15213');
INSERT INTO "act" VALUES('q6yyaluo',1,'2026-11-02T01:33:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Kept","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Anna","Cleo","Dirk"],"absence":"seat"}]','900365d2344a32ffd2ca54029b9d8a04243f10be628cf6ec22a027c741f09bf6');
INSERT INTO "act" VALUES('q6yyaluo',2,'2026-11-02T01:33:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Anna","Cleo","Dirk"],"hands":[["horse"],["soldier"],["horse"]],"display":["horse","soldier"]}]','01c007641f33bdd4629346dbc97d3effdf5a3ebfe128417bfd996a3e8a77bb70');
INSERT INTO "act" VALUES('q6yyaluo',3,'2026-11-02T01:33:00.000+00:00',0,'clock','choose soldier; march Philippi A3-A5; draw; draw','[{"type":"turn_timed_out","seat":0},{"type":"seat_kept","seat":0},{"type":"card_chosen","seat":0,"card":"soldier","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":0,"target":"Philippi","path":["A3","A5"],"walls":["A3-A5"],"red":0},{"type":"card_drawn","seat":0,"card":"amphora"},{"type":"card_drawn","seat":0,"card":"temple"},{"type":"turn_ended","seat":0}]','e86cdfe01d1eb4981a4e0e33154923e441ddaffc1f80a57f1d92b90cf896b73c');
INSERT INTO "act" VALUES('4olptyqq',1,'2026-11-02T01:33:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Offered","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Dirk","Ben","Cleo"],"absence":"turn","vacation_days":20}]','decc810f57a4ac9cb0beaba2ab7e9b3ba2c8a868e8a29aafded964d6e85ca496');
INSERT INTO "act" VALUES('4olptyqq',2,'2026-11-02T01:33:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Dirk","Ben","Cleo"],"hands":[["soldier"],["horse"],["horse"]],"display":["lyre","soldier"]}]','5fec92158ab587db91577104f4079b3b881a245d10a45e747fcd46b07bf75c2a');
INSERT INTO "act" VALUES('4olptyqq',3,'2026-11-02T01:33:00.000+00:00',0,'clock','choose soldier; march Philippi A3-A5; draw; draw','[{"type":"turn_timed_out","seat":0},{"type":"card_chosen","seat":0,"card":"soldier","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":0,"target":"Philippi","path":["A3","A5"],"walls":["A3-A5"],"red":0},{"type":"card_drawn","seat":0,"card":"temple"},{"type":"card_drawn","seat":0,"card":"soldier"},{"type":"turn_ended","seat":0}]','746c1f0232c90b3962799b09565aa312b9df8fecd67515a1d74fa2595ab6a397');
INSERT INTO "act" VALUES('4olptyqq',4,'2026-11-02T01:33:00.000+00:00',1,'web','choose lyre; march Larissa A5-B4-C3; draw; draw','[{"type":"card_chosen","seat":1,"card":"lyre","source":"display"},{"type":"card_opened","card":"horse"},{"type":"alexander_marched","seat":1,"target":"Larissa","path":["A5","B4","C3"],"walls":["A5-B4","B4-C3"],"red":0},{"type":"card_drawn","seat":1,"card":"amphora"},{"type":"card_drawn","seat":1,"card":"amphora"},{"type":"turn_ended","seat":1}]','a3acd3473a29a85c71535ee7279059dd5fa0c7d1b43bafc09cef9d20c26fc48c');
INSERT INTO "act" VALUES('4olptyqq',5,'2026-11-02T01:33:00.000+00:00',2,'web','choose horse; march Perinthus C3-B4-A5-A7; draw; draw','[{"type":"card_chosen","seat":2,"card":"horse","source":"display"},{"type":"card_opened","card":"soldier"},{"type":"alexander_marched","seat":2,"target":"Perinthus","path":["C3","B4","A5","A7"],"walls":["A5-A7"],"red":0},{"type":"card_drawn","seat":2,"card":"temple"},{"type":"card_drawn","seat":2,"card":"horse"},{"type":"turn_ended","seat":2}]','bd6660be7b9e4a59a66e0f48b9811c3dc57d7f5ddb0ffae255dd93ee489eb2bd');
INSERT INTO "act" VALUES('4olptyqq',6,'2026-11-02T01:33:00.000+00:00',0,'clock','choose soldier; march Granicus A7-B8; draw; draw','[{"type":"turn_timed_out","seat":0},{"type":"seat_kept","seat":0},{"type":"seat_offered","seat":0},{"type":"card_chosen","seat":0,"card":"soldier","source":"display"},{"type":"card_opened","card":"temple"},{"type":"alexander_marched","seat":0,"target":"Granicus","path":["A7","B8"],"walls":["A7-B8"],"red":0},{"type":"card_drawn","seat":0,"card":"temple"},{"type":"card_drawn","seat":0,"card":"temple"},{"type":"turn_ended","seat":0}]','f103f03bb46af1a1a7c9e8bad6489822952aba58b5a87a7bda5104d099021eff');
INSERT INTO "act" VALUES('fp5iipkp',1,'2026-11-02T01:33:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Paused","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Dirk","Anna"]}]','5b15a608542ee9e69b9cb3a43cf1dfa2060384fa61ef9aecc5a454ce66138d9f');
INSERT INTO "act" VALUES('fp5iipkp',2,'2026-11-02T01:33:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Dirk","Anna"],"hands":[["horse"],["soldier"]],"display":["amphora","horse"]}]','7b6e6cd726bb50a03d8ec9d67f9c8757cd703a49c101607fe82be7eb8c825e1b');
INSERT INTO "act" VALUES('fp5iipkp',3,'2026-11-02T01:33:00.000+00:00',0,'web','pause','[{"type":"motion_agreed","seat":0,"motion":"pause"}]','512d8f5307beba548cb76db2189ace3eabf5fc5c18cd89d54f67c5eeaf38d9b9');
INSERT INTO "act" VALUES('fp5iipkp',4,'2026-11-02T01:33:00.000+00:00',1,'web','pause','[{"type":"motion_agreed","seat":1,"motion":"pause"},{"type":"game_paused"}]','4d629fcf8d106f3db40eeb88aa6b73593a37b6ab645d07728b6a3b4688947160');
INSERT INTO "act" VALUES('hlv2frmr',1,'2026-11-02T01:33:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Asked","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Dirk","Ben","Anna"]}]','e190ff3db92cb7bccb4567cbc4103940a6548f88183f09c553ff11946f3f298c');
INSERT INTO "act" VALUES('hlv2frmr',2,'2026-11-02T01:33:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Dirk","Ben","Anna"],"hands":[["lyre"],["amphora"],["soldier"]],"display":["horse","lyre"]}]','03e01672981833cb8300b0a28b0dcac51604076554f241d8e3b52ccef0d5650b');
INSERT INTO "act" VALUES('hlv2frmr',3,'2026-11-02T01:33:00.000+00:00',0,'web','more time','[{"type":"motion_agreed","seat":0,"motion":"more time"}]','ca6a8f9b5e53a80016ed2c12b79eebd1b00a0bec0f94b7513cbbee3b2c5c3ad4');
INSERT INTO "act" VALUES('6cw5xhfe',1,'2026-11-02T01:33:00.000+00:00',NULL,'operator','','[{"type":"game_opened","name":"Planned","board":"Alexandros","edition":"rio-grande","hours":72,"seats":["Cleo","Anna"]}]','3f815dacfb7ff16f956554283a094bb2129bc863be357f3a7be750ddf128bf8b');
INSERT INTO "act" VALUES('6cw5xhfe',2,'2026-11-02T01:33:00.000+00:00',NULL,'server','','[{"type":"game_started","ruleset":1,"board":"Alexandros","edition":"rio-grande","seats":["Cleo","Anna"],"hands":[["horse"],["amphora"]],"display":["amphora","soldier"]}]','8e1cefafc0e125ec1888e1fbeddf9d4d579984a84731f2a01cd330b173fad7e7');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, oldest_program VARCHAR(32), 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0017','0015');
CREATE TABLE answer_count (
	player INTEGER NOT NULL, 
	answers TEXT NOT NULL, 
	quarters TEXT NOT NULL, 
	PRIMARY KEY (player), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "answer_count" VALUES(1,'0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0','0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0');
INSERT INTO "answer_count" VALUES(2,'0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0','0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0');
INSERT INTO "answer_count" VALUES(3,'0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0','0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0');
INSERT INTO "answer_count" VALUES(4,'0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0','0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0');
CREATE TABLE block (
	kind VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	shown VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (kind, value, origin)
);
CREATE TABLE "confirmation" (
	digest VARCHAR NOT NULL, 
	player INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	purpose VARCHAR NOT NULL, 
	due_at DATETIME, 
	confirmed_at DATETIME, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "confirmation" VALUES('e1b21b48a2dfcf4c556968c846d757dafbfb31672035cfd966639d74d4e139e6',1,'anna.new@example.org','2026-11-02 01:00:00.000000','address',NULL,NULL);
INSERT INTO "confirmation" VALUES('27e40d55836e7b3010f4bec0e6c7a4db110d7f96305c199abad519f61b84f3ab',3,'cleo.new@example.org','2026-11-02 01:00:00.000000','address',NULL,NULL);
INSERT INTO "confirmation" VALUES('e281c9021ea2ea9190bc60d4b59eaf81fdf61e5c53b2b7989d92ef6056be7e8c',3,'cleo@example.org','2026-11-02 01:00:00.000000','back',NULL,NULL);
INSERT INTO "confirmation" VALUES('2244fffd31d3e798394fc9a3962c3d68b7f24378e4407e49d50c25101248c400',2,'ben.second@example.org','2026-11-02 01:00:00.000000','second',NULL,NULL);
CREATE TABLE draft (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	"after" INTEGER NOT NULL, 
	words TEXT NOT NULL, 
	changed_at DATETIME NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "draft" VALUES('d7pmnptz',0,2,'choose amphora','2026-11-02 01:33:00.000000');
CREATE TABLE "failing" (
	player INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	since DATETIME NOT NULL, 
	why VARCHAR NOT NULL, 
	ended_at DATETIME, 
	reported BOOLEAN NOT NULL, due_at DATETIME, 
	PRIMARY KEY (player, address), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "failing" VALUES(1,'anna@example.org','2026-11-02 01:00:00.000000','550 5.1.1 no such user','2026-11-02 01:00:00.000000',0,NULL);
INSERT INTO "failing" VALUES(3,'cleo.new@example.org','2026-11-02 01:00:00.000000','127.0.0.1:25 refused the address: 550 5.1.1 no such user.',NULL,0,'1970-01-01 00:00:00.000000');
CREATE TABLE "game" (
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
	ended_at DATETIME, 
	suspended_at DATETIME, 
	redactions INTEGER NOT NULL, 
	due_at DATETIME, 
	watched_at DATETIME, 
	paused_at DATETIME, 
	time_left INTEGER, 
	bank INTEGER NOT NULL, 
	refill INTEGER NOT NULL, 
	bank_left INTEGER NOT NULL, proof_key VARCHAR DEFAULT '' NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "game" VALUES('2gmnvdjx','Over','Alexandros','identity-games',24,'2026-11-01 12:00:00.000000',24,24,'over',22,1,'2026-11-01 12:00:00.000000',NULL,0,'2026-11-01 12:00:00.000000',NULL,0,NULL,NULL,NULL,NULL,0,0,0,'09a076cbd38be400ff11040b2e7f74bf');
INSERT INTO "game" VALUES('epajbijf','Waiting – é','Alexandros','rio-grande',72,'2026-11-01 12:00:00.000000',3,0,'open',0,NULL,NULL,NULL,0,NULL,NULL,0,NULL,NULL,NULL,NULL,0,0,0,'66cc51b935c508a044f5a9aae1827a55');
INSERT INTO "game" VALUES('u3tbh3h6','Friday','Alexandros','rio-grande',48,'2026-11-01 12:00:00.000000',10,10,'running',3,2,'2026-11-01 13:00:00.000000',NULL,0,NULL,NULL,0,'2026-11-01 13:00:00.000000','2026-11-02 01:00:00.000000',NULL,NULL,0,0,0,'02061fd324f03519dc546e8f0ef4215e');
INSERT INTO "game" VALUES('dsbpbys4','With the house','Alexandros','rio-grande',12,'2026-11-01 12:00:00.000000',8,8,'running',7,0,'2026-11-02 01:32:00.000000','2026-11-02 13:32:00.000000',0,NULL,NULL,0,'2026-11-02 01:32:00.000000',NULL,NULL,NULL,0,0,0,'9e2b1f528c1a5ffc97afca0f9f416d5a');
INSERT INTO "game" VALUES('rp2extbw','Anna''s game','Alexandros','rio-grande',48,'2026-11-02 01:00:00.000000',1,0,'open',0,NULL,NULL,NULL,0,NULL,NULL,0,NULL,NULL,NULL,NULL,0,0,0,'3798112a31328ac4e19189a7c9d2da31');
INSERT INTO "game" VALUES('4npo725b','Dirk''s','Alexandros','rio-grande',48,'2026-11-02 01:00:00.000000',0,0,'proposed',0,NULL,NULL,NULL,0,NULL,NULL,0,NULL,NULL,NULL,NULL,0,0,0,'22a177f0ea0c111a210a4016b21589f9');
INSERT INTO "game" VALUES('yfgxwalg','Dirk''s','Alexandros','rio-grande',24,'2026-11-02 01:00:00.000000',0,0,'proposed',0,NULL,NULL,NULL,0,NULL,NULL,0,NULL,NULL,NULL,NULL,0,0,0,'f683686a9598f60082a5b0fd8a03b674');
INSERT INTO "game" VALUES('ytgiz4i7','Open table','Alexandros','rio-grande',48,'2026-11-02 01:00:00.000000',5,5,'open',0,NULL,NULL,NULL,0,NULL,NULL,0,NULL,'2026-11-02 01:00:00.000000',NULL,NULL,0,0,0,'da7a235b54d6f7547883843bbd27d133');
INSERT INTO "game" VALUES('2itlxqnv','Called off','Alexandros','rio-grande',48,'2026-11-02 01:00:00.000000',2,0,'cancelled',0,NULL,NULL,NULL,0,'2026-11-02 01:00:00.000000',NULL,0,NULL,NULL,NULL,NULL,0,0,0,'17cd2a4c7ffecd72d48e1c5303ff642d');
INSERT INTO "game" VALUES('d7pmnptz','Over, again','Alexandros','identity-games',24,'2026-11-02 01:00:00.000000',2,2,'running',1,0,'2026-11-02 01:00:00.000000','2026-11-03 01:00:00.000000',0,NULL,NULL,0,'2026-11-02 01:00:00.000000',NULL,NULL,NULL,0,0,0,'e4528b8ba1eace4ce2a2c082703bae73');
INSERT INTO "game" VALUES('tsfkwgne','With a reserve','Alexandros','rio-grande',72,'2026-11-02 01:33:00.000000',2,2,'running',1,0,'2026-11-02 01:33:00.000000','2026-11-15 01:33:00.000000',0,NULL,NULL,0,'1970-01-01 00:00:00.000000',NULL,NULL,NULL,240,12,864000,'f98ee93d7698126df7356ee40777fa9f');
INSERT INTO "game" VALUES('q6yyaluo','Kept','Alexandros','rio-grande',72,'2026-11-02 01:33:00.000000',3,3,'running',2,1,NULL,NULL,0,NULL,NULL,0,'1970-01-01 00:00:00.000000',NULL,NULL,NULL,0,0,0,'657dd3978f076edfaff55ef53c8a9d43');
INSERT INTO "game" VALUES('4olptyqq','Offered','Alexandros','rio-grande',72,'2026-11-02 01:33:00.000000',6,6,'running',5,1,'2026-11-02 01:33:00.000000','2026-11-05 01:33:00.000000',0,NULL,NULL,0,'1970-01-01 00:00:00.000000',NULL,NULL,NULL,0,0,0,'b0606a1109ab60b70d251ea6c406ecc5');
INSERT INTO "game" VALUES('fp5iipkp','Paused','Alexandros','rio-grande',72,'2026-11-02 01:33:00.000000',4,2,'running',1,0,'2026-11-02 01:33:00.000000',NULL,0,NULL,NULL,0,'1970-01-01 00:00:00.000000',NULL,'2026-11-02 01:33:00.000000',259200,0,0,0,'24c5e30acc99a11937947d2a1778140a');
INSERT INTO "game" VALUES('hlv2frmr','Asked','Alexandros','rio-grande',72,'2026-11-02 01:33:00.000000',3,2,'running',1,0,'2026-11-02 01:33:00.000000','2026-11-05 01:33:00.000000',0,NULL,NULL,0,'1970-01-01 00:00:00.000000',NULL,NULL,NULL,0,0,0,'f1b45963b35cdc2ffd919bbf23c25861');
INSERT INTO "game" VALUES('6cw5xhfe','Planned','Alexandros','rio-grande',72,'2026-11-02 01:33:00.000000',2,2,'running',1,0,'2026-11-02 01:33:00.000000','2026-11-05 01:33:00.000000',0,NULL,NULL,0,'1970-01-01 00:00:00.000000',NULL,NULL,NULL,0,0,0,'813963d97df0bc088b544b0a0e5191d6');
CREATE TABLE heard (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	message INTEGER NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "heard" VALUES('u3tbh3h6',2,0);
INSERT INTO "heard" VALUES('u3tbh3h6',0,12);
CREATE TABLE "incoming" (
	id INTEGER NOT NULL, 
	digest VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	sender VARCHAR NOT NULL, 
	recipient VARCHAR NOT NULL, 
	raw BLOB NOT NULL, 
	message_id VARCHAR, 
	state VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	network VARCHAR NOT NULL, 
	due_at DATETIME NOT NULL, 
	tries INTEGER NOT NULL, raw_mail INTEGER REFERENCES raw_mail (id), arrived_at DATETIME, hindrance VARCHAR DEFAULT '' NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (digest)
);
INSERT INTO "incoming" VALUES(1,'412f6f918b940f1ee61308574061533be3c96be639134fdb6b8fbe8881005ee1','2026-11-01 12:00:00.000000','ben@example.org','play+epajbijfaaaalcolpzr6ja6caxfkoas7@example.org',X'','<4.1@client.example.org>','played','','','2026-11-01 12:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(2,'9fa98ebbd51b2bf823ce51090a6e93e9cca90e98bddd02d878c888a56765e93f','2026-11-01 12:00:00.000000','ben@example.org','play+u3tbh3h6aaba3dkj2alrxlaeljpjcsip@example.org',X'','<4.2@client.example.org>','refused','“fly to the moon”: “fly” is no action.','','2026-11-01 12:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(3,'ee93e13b844f848b78fba68f57e7aa8f8a95b1481587b4fa2a94ac7d2e2ce7cc','2026-11-01 12:00:00.000000','ben@example.org','play+u3tbh3h6aaba3dkj2alrxlaeljpjcsip@example.org',X'','<4.3@client.example.org>','played','','','2026-11-01 12:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(4,'abf3b67dc6281c6cbdb80086c0f6358f1e178e05a18471031368f9f5531ef0ac','2026-11-01 12:00:00.000000','dirk@example.org','play+aaaabbbbccccdddd@example.org',X'','<4.4@client.example.org>','ignored','The address it was sent to is not one of ours.','','2026-11-01 12:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(5,'656f7f5ef9dbd091f64d2af93a3780ae7ddf7f233bb8cdc4db082f9bfeb15416','2026-11-02 01:00:00.000000','anna@example.org','new@example.org',X'','<4.5@client.example.org>','played','','','2026-11-02 01:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(6,'8044302dc359c1cb872bc33d3dbf2b764ed33ac54c25184711d400e589efbe99','2026-11-02 01:00:00.000000','anna@example.org','new+rp2extbw74ag4zlx4o45ydzpxmelq6ef5xja@example.org',X'','<4.6@client.example.org>','played','','','2026-11-02 01:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(7,'946fa2f667e2be5389b23f82680c784021a9e91be2cf77ce655f1c6f1d5e764b','2026-11-02 01:00:00.000000','dirk@example.org','new@example.org',X'','<4.7@client.example.org>','played','','','2026-11-02 01:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(8,'5e5d2ec0289a00daa8bdc528b5cb3dd2d3ad18a554f186f3047df8efd7796523','2026-11-02 01:00:00.000000','dirk@example.org','new+4npo725b74ag4zlxqe4aaouyug3vsoamrobq@example.org',X'','<4.8@client.example.org>','played','','','2026-11-02 01:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(9,'4aca0897073eb8bcc8e6efbcf53b5589b0847d015254ffe0a1605c23658d5447','2026-11-02 01:00:00.000000','ben@example.org','play+zzzzbbbbccccdddd@example.org',X'','<4.9@client.example.org>','ignored','The address it was sent to is not one of ours.','','2026-11-02 01:00:00.000000',0,NULL,NULL,'');
INSERT INTO "incoming" VALUES(10,'f4bc89494646978f31dd67158e63468eb6694e89d3ed2c26377f5ede669dc734','2026-11-02 01:33:00.000000','cleo.new@example.org','play+u3tbh3h6aifabzvdwiyfynmuqsrsg36e@example.org',X'46726F6D3A20636C656F2E6E6577406578616D706C652E6F72670A4D6573736167652D49443A203C77616974696E6740636C69656E742E6578616D706C652E6F72673E0A546F3A20706C61792B753374626833683661696661627A766477697966796E6D757173727367333665406578616D706C652E6F72670A5375626A6563743A2052653A204672696461790A436F6E74656E742D547970653A20746578742F706C61696E3B20636861727365743D227574662D38220A436F6E74656E742D5472616E736665722D456E636F64696E673A20376269740A4D494D452D56657273696F6E3A20312E300A0A647261770A','<waiting@client.example.org>','waiting','','','2026-11-02 01:33:00.000000',0,NULL,NULL,'');
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
CREATE TABLE "key" (
	id INTEGER NOT NULL, 
	digest VARCHAR NOT NULL, 
	player INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	used_at DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (digest), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "key" VALUES(1,'d7a0aa75a735249093114cd320038f42314f0eb0eccf6ed0776b3a271910bb03',1,'bot','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000');
INSERT INTO "key" VALUES(2,'307afc1cec02cda555b5e4c4947b0ed41df73730022dc3252c4dc378f27488f4',4,'never used','2026-11-02 01:00:00.000000',NULL);
CREATE TABLE "message" (
	id INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	seat INTEGER, 
	addressee INTEGER, 
	words TEXT NOT NULL, 
	announcement VARCHAR, 
	about VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "message" VALUES(1,'u3tbh3h6','2026-11-01 13:00:00.000000',3,NULL,'Hello everybody; it''s a fine day – één dag.',NULL,'');
INSERT INTO "message" VALUES(2,'u3tbh3h6','2026-11-01 13:00:00.000000',0,2,'psst, Cleo',NULL,'');
INSERT INTO "message" VALUES(3,'u3tbh3h6','2026-11-01 13:00:00.000000',2,NULL,'Not told by any letter yet.',NULL,'');
INSERT INTO "message" VALUES(4,'u3tbh3h6','2026-11-01 13:00:00.000000',NULL,0,'','resigned','Dirk');
INSERT INTO "message" VALUES(5,'u3tbh3h6','2026-11-01 13:00:00.000000',NULL,2,'','resigned','Dirk');
INSERT INTO "message" VALUES(6,'u3tbh3h6','2026-11-01 13:00:00.000000',NULL,3,'','resigned','Dirk');
INSERT INTO "message" VALUES(7,'u3tbh3h6','2026-11-02 01:00:00.000000',NULL,0,'','second added','ben.second@example.org');
INSERT INTO "message" VALUES(8,'u3tbh3h6','2026-11-02 01:00:00.000000',NULL,-1,'','returned','Anna');
INSERT INTO "message" VALUES(9,'u3tbh3h6','2026-11-02 01:00:00.000000',NULL,-1,'','returned','Anna');
INSERT INTO "message" VALUES(10,'u3tbh3h6','2026-11-02 01:00:00.000000',NULL,-1,'','returned','Anna');
INSERT INTO "message" VALUES(11,'u3tbh3h6','2026-11-02 01:00:00.000000',3,2,'Do you read this?',NULL,'');
INSERT INTO "message" VALUES(12,'u3tbh3h6','2026-11-02 01:00:00.000000',NULL,0,'','returned','Cleo');
INSERT INTO "message" VALUES(13,'u3tbh3h6','2026-11-02 01:00:00.000000',NULL,1,'','returned','Cleo');
INSERT INTO "message" VALUES(14,'u3tbh3h6','2026-11-02 01:00:00.000000',NULL,3,'','returned','Cleo');
INSERT INTO "message" VALUES(15,'u3tbh3h6','2026-11-02 01:00:00.000000',0,3,'Your clock, my walls.',NULL,'');
INSERT INTO "message" VALUES(16,'dsbpbys4','2026-11-02 01:31:00.000000',1,NULL,'Hello all',NULL,'');
INSERT INTO "message" VALUES(17,'u3tbh3h6','2026-11-02 01:31:00.000000',0,NULL,'Who is next?',NULL,'');
INSERT INTO "message" VALUES(18,'q6yyaluo','2026-11-02 01:33:00.000000',NULL,1,'','seat kept','Anna');
INSERT INTO "message" VALUES(19,'q6yyaluo','2026-11-02 01:33:00.000000',NULL,2,'','seat kept','Anna');
INSERT INTO "message" VALUES(20,'4olptyqq','2026-11-02 01:33:00.000000',NULL,1,'','seat kept','Dirk');
INSERT INTO "message" VALUES(21,'4olptyqq','2026-11-02 01:33:00.000000',NULL,2,'','seat kept','Dirk');
INSERT INTO "message" VALUES(22,'fp5iipkp','2026-11-02 01:33:00.000000',NULL,0,'','paused','Dirk');
CREATE TABLE moment (
	name VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE offered (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "offered" VALUES('4olptyqq',0,'2026-11-02 01:33:00.000000');
CREATE TABLE "opening" (
	game VARCHAR NOT NULL, 
	seat INTEGER, 
	joined_by VARCHAR NOT NULL, 
	watched BOOLEAN NOT NULL, 
	rematch_of VARCHAR NOT NULL, 
	caretaker VARCHAR NOT NULL, 
	advice BOOLEAN NOT NULL, 
	vacation_days INTEGER, 
	absence VARCHAR NOT NULL, 
	PRIMARY KEY (game), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "opening" VALUES('2gmnvdjx',NULL,'',0,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('epajbijf',NULL,'',0,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('u3tbh3h6',NULL,'',1,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('dsbpbys4',NULL,'',0,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('rp2extbw',2,'',0,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('ytgiz4i7',0,'all',1,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('2itlxqnv',0,'',0,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('d7pmnptz',0,'link',0,'2gmnvdjx','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('tsfkwgne',NULL,'',0,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('q6yyaluo',NULL,'',0,'','quiet',0,NULL,'seat');
INSERT INTO "opening" VALUES('4olptyqq',NULL,'',0,'','quiet',0,20,'turn');
INSERT INTO "opening" VALUES('fp5iipkp',NULL,'',0,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('hlv2frmr',NULL,'',0,'','quiet',0,NULL,'');
INSERT INTO "opening" VALUES('6cw5xhfe',NULL,'',0,'','quiet',0,NULL,'');
CREATE TABLE operatormail (
	id INTEGER NOT NULL, 
	subject VARCHAR NOT NULL, 
	raw BLOB NOT NULL, 
	state VARCHAR NOT NULL, 
	tries INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	due_at DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
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
	sent_at DATETIME, told_by INTEGER REFERENCES outgoing (id), hindrance VARCHAR DEFAULT '' NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (message_id), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "outgoing" VALUES(1,'<2gmnvdjx.2.0.turn@example.org>','2gmnvdjx',2,0,'your_turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(2,'<2gmnvdjx.4.0.turn@example.org>','2gmnvdjx',4,0,'your_turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(3,'<2gmnvdjx.6.0.turn@example.org>','2gmnvdjx',6,0,'your_turn','anna@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(4,'<2gmnvdjx.24.0.over@example.org>','2gmnvdjx',24,0,'game_over','anna@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

House has won

The game ended, because 101 points were reached.

Thank you for playing, A','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(5,'<epajbijf.1.0.invitation@example.org>','epajbijf',1,0,'invitation','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Ben?

A game of Alexandros with Cleo, Anna and Dirk: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(6,'<epajbijf.1.1.invitation@example.org>','epajbijf',1,1,'invitation','cleo@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Doe je mee, Cleo?

Een potje Alexandros met Ben, Anna en Dirk: het bordspel van Leo Co','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(7,'<epajbijf.1.2.invitation@example.org>','epajbijf',1,2,'invitation','anna@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Anna?

A game of Alexandros with Ben, Cleo and Dirk: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(8,'<epajbijf.1.3.invitation@example.org>','epajbijf',1,3,'invitation','dirk@example.org','{"numbers": {}}',NULL,'sent','',2,'--- Write above this line ---

Will you play, Dirk?

A game of Alexandros with Ben, Cleo and Anna: the board game by Leo','2026-11-01 12:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(9,'<epajbijf.3.0.accepted1@example.org>','epajbijf',3,0,'accepted','ben@example.org','{"numbers": {}}','<4.1@client.example.org>','sent','',1,'--- Write above this line ---

You are in, Ben

Thank you. The game begins when everybody has accepted; you get a mail t','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(10,'<u3tbh3h6.2.1.welcome@example.org>','u3tbh3h6',2,1,'welcome','dirk@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

The game has begun, Dirk

Ben begins. When it is your turn you get a mail like this one, ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(11,'<u3tbh3h6.2.2.welcome@example.org>','u3tbh3h6',2,2,'welcome','cleo@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Het spel is begonnen, Cleo

Ben begint. Ben je aan de beurt, dan krijg je een mail als','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(12,'<u3tbh3h6.2.3.welcome@example.org>','u3tbh3h6',2,3,'welcome','anna@example.org','{"numbers": {}}',NULL,'failed','it came back: 550 5.1.1 no such user',1,'--- Write above this line ---

The game has begun, Anna

Ben begins. When it is your turn you get a mail like this one, ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'returned');
INSERT INTO "outgoing" VALUES(13,'<u3tbh3h6.2.0.turn@example.org>','u3tbh3h6',2,0,'your_turn','ben@example.org','{"numbers": {"1": "B2", "2": "B4", "3": "B6", "4": "B8", "5": "C3", "6": "C5", "7": "C7", "8": "D4"}}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Ben

Choose the temple, the lyre or a card from your hand, and march.

Please ','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(14,'<u3tbh3h6.2.0.refused2@example.org>','u3tbh3h6',2,0,'refused','ben@example.org','{"sentence": "\u201cfly to the moon\u201d: \u201cfly\u201d is no action.", "undone": ["fly to the moon"], "in_a_row": 1, "numbers": {}}','<4.2@client.example.org>','sent','',1,'--- Write above this line ---

Your mail was not played

“fly to the moon”: “fly” is no action.

It is Dirk''s turn; there is nothing for you to do now.

Dirk has until Tue 3 November 2026, 12:00 UTC.

Look at the game:
http://127.0.0.1:8000/t/...

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
http://127.0.0.1:8000/t/.../settings

No more mails about this game:
http://127.0.0.1:8000/u/...
','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(15,'<u3tbh3h6.3.0.answer3@example.org>','u3tbh3h6',3,0,'answer','ben@example.org','{"done": ["choose lyre", "march Larissa A3-B2-C3", "draw", "draw"], "undone": [], "why": "", "after": 3, "posted": [], "asked": [], "numbers": {}}','<4.3@client.example.org>','sent','',1,'--- Write above this line ---

Done, Ben

It is Dirk''s turn; there is nothing for you to do now.

Dirk has until Tue 3 N','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(16,'<u3tbh3h6.3.1.turn@example.org>','u3tbh3h6',3,1,'your_turn','dirk@example.org','{"numbers": {"1": "A7", "2": "B6", "3": "B8", "4": "C7", "5": "C9", "6": "D8"}}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Dirk

Choose the temple, the horse or a card from your hand, and march.

Pleas','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(17,'<u3tbh3h6.4.2.turn@example.org>','u3tbh3h6',4,2,'your_turn','cleo@example.org','{"numbers": {"1": "B6", "2": "B8", "3": "C7", "4": "C11", "5": "C13", "6": "D6", "7": "D8", "8": "D12", "9": "E7"}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Jouw beurt, Cleo

Kies de tempel, de waterkruik of een kaart uit je hand, en marcheer.','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(18,'<u3tbh3h6.4.0.news@example.org>','u3tbh3h6',4,0,'news','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Dirk has played

It is Cleo''s turn; there is nothing for you to do now.

Cleo has until T','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(19,'<u3tbh3h6.4.0.message1@example.org>','u3tbh3h6',4,0,'message','ben@example.org','{}',NULL,'dropped','it is told in another letter',0,'','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000',NULL,18,'');
INSERT INTO "outgoing" VALUES(20,'<u3tbh3h6.4.0.message3@example.org>','u3tbh3h6',4,0,'message','ben@example.org','{}',NULL,'dropped','it is told in another letter',0,'','2026-11-01 13:00:00.000000','2026-11-01 13:00:00.000000',NULL,21,'');
INSERT INTO "outgoing" VALUES(21,'<u3tbh3h6.5.0.message4@example.org>','u3tbh3h6',5,0,'message','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Cleo writes to you

== Messages ==

Cleo writes:
  | Not told by any letter yet.

  * Dir','2026-11-01 13:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(22,'<dsbpbys4.2.1.welcome@example.org>','dsbpbys4',2,1,'welcome','dirk@example.org','{}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-01 12:00:00.000000','2026-11-02 01:01:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(23,'<dsbpbys4.3.1.turn@example.org>','dsbpbys4',3,1,'your_turn','dirk@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 12:00:00.000000','2026-11-01 12:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(24,'<dsbpbys4.3.1.reminder1@example.org>','dsbpbys4',3,1,'reminder','dirk@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-01 19:00:00.000000','2026-11-01 19:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(25,'<dsbpbys4.4.1.time_passed@example.org>','dsbpbys4',4,1,'time_passed','dirk@example.org','{"seat": 1, "done": ["choose horse", "march Perinthus C3-B4-B6", "draw", "draw"]}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(26,'<dsbpbys4.5.1.turn@example.org>','dsbpbys4',5,1,'your_turn','dirk@example.org','{}',NULL,'failed','127.0.0.1:25 refused the letter: 554 no.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(27,'<dsbpbys4.5.1.stopped1793581200.0@example.org>','dsbpbys4',5,1,'stopped','dirk@example.org','{"everywhere": false, "numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

No more mails, Dirk

As you asked, this is the last mail about “With the house”.

It is y','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(28,'<u3tbh3h6.0d49ffd6a3997617e4692f8@example.org>','u3tbh3h6',5,3,'confirm','anna.new@example.org','{"numbers": {}, "digest": "e1b21b48a2dfcf4c556968c846d757dafbfb31672035cfd966639d74d4e139e6", "mark": ""}',NULL,'sent','',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(29,'<u3tbh3h6.ac489138736ea9b4eab75d9@example.org>','u3tbh3h6',5,2,'confirm','cleo.new@example.org','{"numbers": {}, "digest": "27e40d55836e7b3010f4bec0e6c7a4db110d7f96305c199abad519f61b84f3ab", "mark": ""}',NULL,'sent','',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(30,'<u3tbh3h6.820b89f6787f43a0ab95053@example.org>','u3tbh3h6',5,2,'moved','cleo@example.org','{"address": "cleo.new@example.org", "numbers": {}, "digest": "e281c9021ea2ea9190bc60d4b59eaf81fdf61e5c53b2b7989d92ef6056be7e8c", "mark": ""}',NULL,'sent','',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(31,'<u3tbh3h6.e1d144b11fae6d098f23ac5@example.org>','u3tbh3h6',5,0,'confirm','ben.second@example.org','{"numbers": {}, "digest": "2244fffd31d3e798394fc9a3962c3d68b7f24378e4407e49d50c25101248c400", "mark": ""}',NULL,'sent','',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(32,'<u3tbh3h6.5.0.message7@example.org>','u3tbh3h6',5,0,'message','ben@example.org','{}',NULL,'dropped','it is told in another letter',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL,35,'');
INSERT INTO "outgoing" VALUES(33,'<u3tbh3h6.6.0.message8@example.org>','u3tbh3h6',6,0,'message','ben@example.org','{}',NULL,'dropped','it is told in another letter',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL,35,'');
INSERT INTO "outgoing" VALUES(34,'<u3tbh3h6.7.2.message11@example.org>','u3tbh3h6',7,2,'message','cleo.new@example.org','{}',NULL,'failed','it came back: 127.0.0.1:25 refused the address: 550 5.1.1 no such user.',1,'','2026-11-02 01:00:00.000000','2026-11-02 01:01:00.000000',NULL,NULL,'returned');
INSERT INTO "outgoing" VALUES(35,'<u3tbh3h6.8.0.message12@example.org>','u3tbh3h6',8,0,'message','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

A message for you, Ben

== Messages ==

  * You have a second address now: when mail to the first comes back, your
    letters go to ben.second@example.org, and answers from there count too. If
    that was not you, remove it in your settings.

  * Mail to Cleo comes back. The clock of that seat stands still, for 14 days
    at most. Cleo can still play on the page of the game, and name
    another address there.

It is Cleo''s turn; there is nothing for you to do now.

Look at the game:
http://127.0.0.1:8000/t/...

To answer, reply with a line of its own such as “say: Thank you!” (to
everybody) or “tell Dirk: Thank you!” (to one alone).

== Since the game began ==

  * Dirk took the horse from the display; new in the display: an amphora.
  * Dirk marched to Perinthus via C3-C5-B6-A7 and laid 3 walls.
  * Dirk occupied a province with guards on Philippi and Aegae,
    paying no card.
  * Dirk took back the guard from Aegae.
  * Cleo took the amphora from the display; new in the display: a soldier.
  * Cleo marched to Athens via A7-B6-C7-D6 and laid 2 walls (B6-C7, C7-D6).

== At a glance ==

  * Points: you 0, Dirk 0, Cleo 0 and Anna 0.
  * Your hand: an amphora, 2 lyres and a soldier.
  * The display: a temple and a soldier.

== How the game stands ==

Board: Alexandros
Edition: rio-grande
You: Ben (seat 1)
Turn: number 3, of Cleo (seat 3)
Phase: 2 actions left, no taxes were levied this turn
Turns without a wall or a point: 0 of 40, this turn had one
Your hand: 1 amphora, 2 lyres, 1 soldier
Display: 1 temple, 1 soldier
Supply: 44 cards
Discard pile: none
Walls left: 58 black, 10 red
Seat 1: Ben, blue circle, 0 points, 4 cards in hand, 4 guards in supply,
  a levy would give 0
Seat 2: Dirk, red square, 0 points, 2 cards in hand, 3 guards in supply,
  a levy would give 5
Seat 3: Cleo, gold diamond, 0 points, 2 cards in hand, 4 guards in supply,
  a levy would give 0
Seat 4: Anna, violet triangle, 0 points, 1 card in hand, 4 guards in supply,
  a levy would give 0
Alexander: on D6
Guards of seat 1: none on the board
Guards of seat 2: soldier Philippi AB5 in AB3 worth 5
Guards of seat 3: none on the board
Guards of seat 4: none on the board
Province AB3: worth 5, 7 spaces, held by Dirk (seat 2), 1 guard,
  soldier Philippi AB5 with a guard, amphora Aegae BC3
Province BC6: worth 3, 4 spaces, free, lyre Larissa CD4
The rest of the board, AB7: worth 104, 191 spaces, free, horse Perinthus AB7,
  soldier Armavir AB17, horse Derbent AB20, temple Sestos BC7,
  soldier Granicus BC8, temple Trapezus BC15, lyre Tigranocerta BC16,
  temple Artaxata BC19, amphora Dahae BC21, temple Thara BC24,
  soldier Chorasmia BC25, horse Troy CD8, lyre Gordium CD10,
  amphora Mazaca CD12, soldier Melitene CD14, amphora Nisibis CD16,
  horse Arbela CD18, lyre Gazaca CD20, lyre Nisa CD25, amphora Bagae CD26,
  amphora Athens DE7, temple Ephesus DE10, horse Celaenae DE12,
  lyre Thapsacus DE14, temple Nineveh DE16, soldier Ecbatana DE19,
  temple Zadracarta DE21, horse Sirynca DE23, soldier Susia DE24,
  temple Merv DE26, horse Nautaca DE27, soldier Oxiana DE29,
  soldier Sparta EF5, horse Corinth EF6, lyre Halicarnassus EF9,
  amphora Byblus EF11, soldier Dura EF15, amphora Opis EF17,
  horse Bisitun EF19, amphora Rhagae EF22, lyre Hecatompylos EF23,
  lyre Bactra EF28, amphora Drapsaca EF29, temple Sidon FG13,
  temple Sittace FG18, lyre Susa FG19, soldier Gabae FG21,
  temple Carmana FG24, horse Artacoana FG26, soldier Ortospana FG28,
  temple Bazira FG31, horse Tyre GH12, amphora Damascus GH14,
  lyre Babylon GH15, amphora Charax GH19, amphora Prophthasia GH25,
  lyre Phrada GH27, horse Peucelaotis GH30, lyre Taxila GH31,
  amphora Paraetonium HI6, soldier Alexandria HI7, lyre Naucratis HI9,
  soldier Gaza HI13, temple Jerusalem HI15, horse Uruk HI17, lyre Gogana HI22,
  soldier Pasargadae HI23, horse Salmus HI24, temple Arachotus HI27,
  amphora Bucephala HI31, soldier Sangala HI32, temple Siwa IJ5,
  horse Memphis IJ8, amphora Coptos IJ14, temple Harmozia IJ23,
  amphora Pura IJ27, soldier Ora IJ28, horse Hyphasis IJ33,
  lyre Hermopolis JK7, temple Thebes JK9, soldier Syene JK10,
  horse Berenice JK12, lyre Philae JK13, horse Cocala JK28,
  temple Rhambacia JK29, lyre Patala JK31, amphora Musicanus JK32
Walls: A3-B2-C3-C5-B6-A7, B6-C7-D6

The same as a drawing: points are dots, @ is Alexander, lines are walls, the
letters t a h l s are symbols, and a figure is the seat whose
guard stands there.

                   1                   2                   3
   2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4
A    .   .   .               .   .   .   .                            A
    /    2  /h                   s     h
B  .   .   .   .           .   .   .   .   .   .   .   .              B
    \a    / \t s             t l     t   a     t s
C    .---.   .   .   .   .   .   .   .   .   .   .   .   .            C
       l    /  h   l   a   s   a   h   l         l a
D      .   @   .   .   .   .   .   .   .   .   .   .   .   .          D
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
http://127.0.0.1:8000/t/.../settings

No more mails about this game:
http://127.0.0.1:8000/u/...
','2026-11-02 01:00:00.000000','2026-11-02 01:31:00.000000','2026-11-02 01:31:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(36,'<rp2extbw.0.2.proposal5@example.org>','rp2extbw',0,2,'proposal','anna@example.org','{"note": "", "numbers": {}}','<4.5@client.example.org>','sent','',1,'--- Write above this line ---

Shall this game begin, Anna?

Nobody has been invited yet. If all is right, confirm it on','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(37,'<rp2extbw.1.0.invitation@example.org>','rp2extbw',1,0,'invitation','cleo.new@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Schrijf boven deze regel ---

Doe je mee, Cleo?

Een potje Alexandros met Ben en Anna: het bordspel van Leo Colovini','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(38,'<rp2extbw.1.1.invitation@example.org>','rp2extbw',1,1,'invitation','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Ben?

A game of Alexandros with Cleo and Anna: the board game by Leo Colov','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(39,'<rp2extbw.1.2.accepted6@example.org>','rp2extbw',1,2,'accepted','anna@example.org','{"numbers": {}}','<4.6@client.example.org>','sent','',1,'--- Write above this line ---

You are in, Anna

Thank you. The game begins when everybody has accepted; you get a mail ','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(40,'<4npo725b.0.0.proposal7@example.org>','4npo725b',0,0,'proposal','dirk@example.org','{"note": "", "numbers": {}}','<4.7@client.example.org>','sent','',1,'--- Write above this line ---

Shall this game begin, Dirk?

Nobody has been invited yet. If all is right, confirm it on','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(41,'<yfgxwalg.0.1.proposal8@example.org>','yfgxwalg',0,1,'proposal','dirk@example.org','{"note": "", "numbers": {}}','<4.8@client.example.org>','sent','',1,'--- Write above this line ---

Shall this game begin, Dirk?

Nobody has been invited yet. If all is right, confirm it on','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(42,'<ytgiz4i7.2.1.invitation@example.org>','ytgiz4i7',2,255,'invitation','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Ben?

A game of Alexandros with Anna and whoever joins: the board game by ','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(43,'<ytgiz4i7.3.0.declined@example.org>','ytgiz4i7',3,0,'declined','anna@example.org','{"seat": 1, "name": "Ben", "how": "declined", "numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

A seat is free again, Anna

Ben was invited to “Open table” and does not want to play.

T','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(44,'<ytgiz4i7.5.2.invitation@example.org>','ytgiz4i7',5,2,'invitation','ben@example.org','{"numbers": {}}',NULL,'sent','',1,'--- Write above this line ---

Will you play, Ben?

A game of Alexandros with Anna, Dirk and whoever joins: the board ga','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(45,'<2itlxqnv.1.1.invitation@example.org>','2itlxqnv',1,1,'invitation','dirk@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(46,'<2itlxqnv.2.1.called_off@example.org>','2itlxqnv',2,1,'called_off','dirk@example.org','{}',NULL,'dropped','its occasion has passed',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(47,'<d7pmnptz.2.0.turn@example.org>','d7pmnptz',2,0,'your_turn','anna@example.org','{"numbers": {"1": "A5", "2": "B2", "3": "B4", "4": "B6", "5": "C3"}}',NULL,'sent','',1,'--- Write above this line ---

Your turn, Anna

Choose the amphora, the soldier or a card from your hand, and march.

Pl','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,'');
INSERT INTO "outgoing" VALUES(48,'<u3tbh3h6.32cf2bea594a3db3b55dfae@example.org>','u3tbh3h6',8,0,'signin','ben@example.org','{"digest": "374bf1de1620804a08067e80e23ca982db37b4a8ffe04fc67f177fa4062b8202", "mark": "94f49d94217005e57349b68c9c7a492e"}',NULL,'dropped','its occasion has passed',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(49,'<2itlxqnv.f754b4e2a8ce5f8466f2944@example.org>','2itlxqnv',2,0,'signin','anna@example.org','{"digest": "86c34cbc0a1533c2a2a176f5e1f9b68d81ec830460c69167992c98f448e3a164", "mark": "5584834b7f2d4e8d8f6f9b962cd6a1cc"}',NULL,'dropped','its occasion has passed',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(50,'<u3tbh3h6.9.2.step@example.org>','u3tbh3h6',9,2,'step','cleo.new@example.org','{}',NULL,'dropped','letters to its reader come back',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(51,'<u3tbh3h6.10.2.step@example.org>','u3tbh3h6',10,2,'step','cleo.new@example.org','{}',NULL,'dropped','letters to its reader come back',0,'','2026-11-02 01:00:00.000000','2026-11-02 01:30:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(52,'<u3tbh3h6.10.2.message17@example.org>','u3tbh3h6',10,2,'message','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:31:00.000000','2026-11-02 01:31:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(53,'<u3tbh3h6.cfeac2867b90d3e6b4c70c5@example.org>','u3tbh3h6',10,2,'your_turn','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:31:00.000000','2026-11-02 01:31:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(54,'<tsfkwgne.2.1.welcome@example.org>','tsfkwgne',2,1,'welcome','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(55,'<tsfkwgne.2.0.turn@example.org>','tsfkwgne',2,0,'your_turn','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(56,'<q6yyaluo.2.1.welcome@example.org>','q6yyaluo',2,1,'welcome','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(57,'<q6yyaluo.2.2.welcome@example.org>','q6yyaluo',2,2,'welcome','dirk@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(58,'<q6yyaluo.2.0.turn@example.org>','q6yyaluo',2,0,'your_turn','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(59,'<q6yyaluo.3.0.time_passed@example.org>','q6yyaluo',3,0,'time_passed','anna@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(60,'<q6yyaluo.3.1.time_passed@example.org>','q6yyaluo',3,1,'time_passed','cleo.new@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(61,'<q6yyaluo.3.2.time_passed@example.org>','q6yyaluo',3,2,'time_passed','dirk@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(62,'<q6yyaluo.3.1.turn@example.org>','q6yyaluo',3,1,'your_turn','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(63,'<q6yyaluo.3.0.absence@example.org>','q6yyaluo',3,0,'absence','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(64,'<4olptyqq.2.1.welcome@example.org>','4olptyqq',2,1,'welcome','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(65,'<4olptyqq.2.2.welcome@example.org>','4olptyqq',2,2,'welcome','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(66,'<4olptyqq.2.0.turn@example.org>','4olptyqq',2,0,'your_turn','dirk@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(67,'<4olptyqq.3.0.time_passed@example.org>','4olptyqq',3,0,'time_passed','dirk@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(68,'<4olptyqq.3.1.time_passed@example.org>','4olptyqq',3,1,'time_passed','ben@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(69,'<4olptyqq.3.2.time_passed@example.org>','4olptyqq',3,2,'time_passed','cleo.new@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(70,'<4olptyqq.3.1.turn@example.org>','4olptyqq',3,1,'your_turn','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(71,'<4olptyqq.4.2.turn@example.org>','4olptyqq',4,2,'your_turn','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(72,'<4olptyqq.5.0.turn@example.org>','4olptyqq',5,0,'your_turn','dirk@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(73,'<4olptyqq.5.1.news@example.org>','4olptyqq',5,1,'news','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(74,'<4olptyqq.f355c9b2a71ab2b75a08623@example.org>','4olptyqq',6,1,'message','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(75,'<4olptyqq.6.0.time_passed@example.org>','4olptyqq',6,0,'time_passed','dirk@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(76,'<4olptyqq.6.1.time_passed@example.org>','4olptyqq',6,1,'time_passed','ben@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(77,'<4olptyqq.6.2.time_passed@example.org>','4olptyqq',6,2,'time_passed','cleo.new@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(78,'<4olptyqq.6.1.turn@example.org>','4olptyqq',6,1,'your_turn','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(79,'<4olptyqq.6.0.absence@example.org>','4olptyqq',6,0,'absence','dirk@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(80,'<4olptyqq.6.1.seat_offered-0@example.org>','4olptyqq',6,1,'seat_offered','ben@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(81,'<4olptyqq.6.2.seat_offered-0@example.org>','4olptyqq',6,2,'seat_offered','cleo.new@example.org','{"seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(82,'<fp5iipkp.2.1.welcome@example.org>','fp5iipkp',2,1,'welcome','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(83,'<fp5iipkp.2.0.turn@example.org>','fp5iipkp',2,0,'your_turn','dirk@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(84,'<fp5iipkp.3.1.motion-pause@example.org>','fp5iipkp',3,1,'motion','anna@example.org','{"motion":"pause","seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(85,'<hlv2frmr.2.1.welcome@example.org>','hlv2frmr',2,1,'welcome','ben@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(86,'<hlv2frmr.2.2.welcome@example.org>','hlv2frmr',2,2,'welcome','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(87,'<hlv2frmr.2.0.turn@example.org>','hlv2frmr',2,0,'your_turn','dirk@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(88,'<hlv2frmr.3.1.motion-more time@example.org>','hlv2frmr',3,1,'motion','ben@example.org','{"motion":"more time","seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(89,'<hlv2frmr.3.2.motion-more time@example.org>','hlv2frmr',3,2,'motion','anna@example.org','{"motion":"more time","seat":0}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(90,'<6cw5xhfe.2.1.welcome@example.org>','6cw5xhfe',2,1,'welcome','anna@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
INSERT INTO "outgoing" VALUES(91,'<6cw5xhfe.2.0.turn@example.org>','6cw5xhfe',2,0,'your_turn','cleo.new@example.org','{}',NULL,'waiting','',0,'','2026-11-02 01:33:00.000000','2026-11-02 01:33:00.000000',NULL,NULL,'');
CREATE TABLE "plan" (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	words TEXT NOT NULL, 
	"after" INTEGER NOT NULL, 
	turn INTEGER NOT NULL, 
	missed BOOLEAN NOT NULL, 
	due_at DATETIME, 
	changed_at DATETIME NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "plan" VALUES('6cw5xhfe',1,'if nobody is above 0 points and Alexander is at A3: stay',2,2,0,NULL,'2026-11-02 01:33:00.000000');
CREATE TABLE "player" (
	id INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	confirmed_at DATETIME, 
	mailbox VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (address)
);
INSERT INTO "player" VALUES(1,'anna@example.org','Anna','2026-11-01 12:00:00.000000','a3bf86238a1c59bd2f0a648af9293620');
INSERT INTO "player" VALUES(2,'ben@example.org','Ben','2026-11-01 12:00:00.000000','9de4dcc67240d5069ba21cd4de156498');
INSERT INTO "player" VALUES(3,'cleo.new@example.org','Cleo','2026-11-01 12:00:00.000000','31fef3dad6a88e9531c5197c388419d6');
INSERT INTO "player" VALUES(4,'dirk@example.org','Dirk','2026-11-01 12:00:00.000000','3c8b665275c13f92ca63da9a1e73bf36');
CREATE TABLE preference (
	player INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	said TEXT NOT NULL, letters_stopped BOOLEAN, 
	PRIMARY KEY (player, game), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "preference" VALUES(1,'2gmnvdjx','{"letters": true, "since": 1793534400}',0);
INSERT INTO "preference" VALUES(2,'','{"language": "en", "zone": "UTC", "pace": "gathered", "minutes": 30, "hour": 8, "moves": true, "messages": true, "pictures": true, "since": 1793534400}',0);
INSERT INTO "preference" VALUES(4,'dsbpbys4','{"letters": false, "since": 1793581200}',1);
INSERT INTO "preference" VALUES(1,'','{"language": "en", "zone": "UTC", "pace": "at once", "minutes": 60, "hour": 8, "moves": false, "messages": false, "pictures": false, "since": 1793581200}',0);
INSERT INTO "preference" VALUES(1,'u3tbh3h6','{"pace": "daily", "minutes": 60, "hour": 19, "moves": false, "messages": false, "pictures": false, "since": 1793581200}',0);
INSERT INTO "preference" VALUES(3,'','{"language": "nl", "zone": "Europe/Amsterdam", "pace": "at once", "minutes": 60, "hour": 8, "moves": false, "messages": false, "pictures": false, "since": 1793581200}',0);
INSERT INTO "preference" VALUES(3,'u3tbh3h6','{"pace": "at once", "minutes": 60, "hour": 8, "moves": false, "messages": true, "pictures": false, "since": 1793581200}',0);
CREATE TABLE prepared (
	letter INTEGER NOT NULL, 
	raw BLOB NOT NULL, 
	text TEXT NOT NULL, 
	heard INTEGER NOT NULL, 
	numbers TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (letter), 
	FOREIGN KEY(letter) REFERENCES outgoing (id)
);
CREATE TABLE proposal (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	wishes TEXT NOT NULL, 
	replaced_by VARCHAR NOT NULL, 
	PRIMARY KEY (game), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "proposal" VALUES('rp2extbw',2,'{"organiser": {"name": "Anna", "address": "anna@example.org"}, "guests": [{"name": "Ben", "address": "ben@example.org"}, {"name": "Cleo", "address": "cleo.new@example.org"}], "houses": 0, "name": "", "edition": "rio-grande", "hours": 48, "language": "en", "unread": [], "unreachable": []}','');
INSERT INTO "proposal" VALUES('4npo725b',0,'{"organiser": {"name": "Dirk", "address": "dirk@example.org"}, "guests": [{"name": "Anna", "address": "anna@example.org"}], "houses": 0, "name": "Dirk''s", "edition": "rio-grande", "hours": 48, "language": "en", "unread": [], "unreachable": []}','yfgxwalg');
INSERT INTO "proposal" VALUES('yfgxwalg',1,'{"organiser": {"name": "Dirk", "address": "dirk@example.org"}, "guests": [{"name": "Anna", "address": "anna@example.org"}, {"name": "Ben", "address": "ben@example.org"}], "houses": 0, "name": "Dirk''s", "edition": "rio-grande", "hours": 24, "language": "en", "unread": [], "unreachable": []}','');
CREATE TABLE raw_mail (
	id INTEGER NOT NULL, 
	digest VARCHAR NOT NULL, 
	raw BLOB NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (digest)
);
CREATE TABLE resigned (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "resigned" VALUES('u3tbh3h6',1,'2026-11-01 13:00:00.000000');
CREATE TABLE rest (
	player INTEGER NOT NULL, 
	sleeps_from VARCHAR NOT NULL, 
	sleeps_until VARCHAR NOT NULL, 
	days_off VARCHAR NOT NULL, 
	PRIMARY KEY (player), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "rest" VALUES(2,'23:00','07:00','6');
CREATE TABLE review (
	game VARCHAR NOT NULL, 
	due_at DATETIME, 
	tries INTEGER NOT NULL, 
	said TEXT NOT NULL, 
	made_at DATETIME, 
	PRIMARY KEY (game), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "review" VALUES('2gmnvdjx','2026-11-02 01:33:00.000000',1,'',NULL);
CREATE TABLE role_process (
	process VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (process, role)
);
CREATE TABLE "seating" (
	game VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	player INTEGER, 
	house BOOLEAN NOT NULL, 
	accepted_at DATETIME, 
	epoch INTEGER NOT NULL, daily_at DATETIME, held_until DATETIME, chat_from INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (game, seat), 
	FOREIGN KEY(player) REFERENCES player (id), 
	FOREIGN KEY(game) REFERENCES game (id)
);
INSERT INTO "seating" VALUES('2gmnvdjx',0,'Anna',1,0,'2026-11-01 12:00:00.000000',0,NULL,NULL,0);
INSERT INTO "seating" VALUES('2gmnvdjx',1,'House',NULL,1,'2026-11-01 12:00:00.000000',0,NULL,NULL,0);
INSERT INTO "seating" VALUES('epajbijf',0,'Ben',2,0,'2026-11-01 12:00:00.000000',0,NULL,NULL,0);
INSERT INTO "seating" VALUES('epajbijf',1,'Cleo',3,0,NULL,0,NULL,'2026-11-01 12:00:00.000000',0);
INSERT INTO "seating" VALUES('epajbijf',2,'Anna',1,0,'2026-11-01 12:00:00.000000',0,NULL,NULL,0);
INSERT INTO "seating" VALUES('epajbijf',3,'Dirk',4,0,NULL,0,NULL,'2026-11-01 12:00:00.000000',0);
INSERT INTO "seating" VALUES('u3tbh3h6',0,'Ben',2,0,'2026-11-01 12:00:00.000000',0,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('u3tbh3h6',1,'Dirk',4,0,'2026-11-01 12:00:00.000000',0,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('u3tbh3h6',2,'Cleo',3,0,'2026-11-01 12:00:00.000000',0,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('u3tbh3h6',3,'Anna',1,0,'2026-11-01 12:00:00.000000',0,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('dsbpbys4',0,'House',NULL,1,'2026-11-01 12:00:00.000000',0,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('dsbpbys4',1,'Dirk',4,0,'2026-11-01 12:00:00.000000',0,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('rp2extbw',0,'Cleo',3,0,NULL,0,NULL,'2026-11-02 01:00:00.000000',0);
INSERT INTO "seating" VALUES('rp2extbw',1,'Ben',2,0,NULL,0,NULL,'2026-11-02 01:00:00.000000',0);
INSERT INTO "seating" VALUES('rp2extbw',2,'Anna',1,0,'2026-11-02 01:00:00.000000',0,NULL,NULL,0);
INSERT INTO "seating" VALUES('4npo725b',0,'Dirk',4,0,NULL,0,NULL,NULL,0);
INSERT INTO "seating" VALUES('yfgxwalg',1,'Dirk',4,0,NULL,0,NULL,NULL,0);
INSERT INTO "seating" VALUES('ytgiz4i7',0,'Anna',1,0,'2026-11-02 01:00:00.000000',0,NULL,NULL,0);
INSERT INTO "seating" VALUES('ytgiz4i7',1,'Dirk',4,0,'2026-11-02 01:00:00.000000',0,NULL,NULL,0);
INSERT INTO "seating" VALUES('ytgiz4i7',2,'Ben',2,0,NULL,0,NULL,'2026-11-02 01:00:00.000000',0);
INSERT INTO "seating" VALUES('ytgiz4i7',3,'',NULL,0,NULL,0,NULL,NULL,0);
INSERT INTO "seating" VALUES('2itlxqnv',0,'Anna',1,0,'2026-11-02 01:00:00.000000',0,NULL,NULL,0);
INSERT INTO "seating" VALUES('2itlxqnv',1,'Dirk',4,0,NULL,0,NULL,NULL,0);
INSERT INTO "seating" VALUES('d7pmnptz',0,'Anna',1,0,'2026-11-02 01:00:00.000000',0,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('d7pmnptz',1,'House',NULL,1,'2026-11-02 01:00:00.000000',0,'2026-11-01 12:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('tsfkwgne',0,'Ben',2,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('tsfkwgne',1,'Anna',1,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('q6yyaluo',0,'Anna',1,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('q6yyaluo',1,'Cleo',3,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('q6yyaluo',2,'Dirk',4,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('4olptyqq',0,'Dirk',4,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('4olptyqq',1,'Ben',2,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('4olptyqq',2,'Cleo',3,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('fp5iipkp',0,'Dirk',4,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('fp5iipkp',1,'Anna',1,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('hlv2frmr',0,'Dirk',4,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('hlv2frmr',1,'Ben',2,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('hlv2frmr',2,'Anna',1,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('6cw5xhfe',0,'Cleo',3,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
INSERT INTO "seating" VALUES('6cw5xhfe',1,'Anna',1,0,'2026-11-02 01:33:00.000000',0,'1970-01-01 00:00:00.000000',NULL,0);
CREATE TABLE second (
	player INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	PRIMARY KEY (player), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "second" VALUES(2,'ben.second@example.org');
CREATE TABLE signedin (
	id INTEGER NOT NULL, 
	digest VARCHAR NOT NULL, 
	player INTEGER NOT NULL, 
	browser VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (digest), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "signedin" VALUES(1,'ffa0a7eb2514d6d881bb375a11cf689f780b525b32b105599d5116a72b6f7989',2,'Firefox on Linux','2026-11-02 01:00:00.000000','2026-11-02 01:00:00.000000');
CREATE TABLE "signin" (
	digest VARCHAR NOT NULL, 
	player INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	leads_to VARCHAR NOT NULL, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "signin" VALUES('86c34cbc0a1533c2a2a176f5e1f9b68d81ec830460c69167992c98f448e3a164',1,'2026-11-02 01:00:00.000000','');
CREATE TABLE unasked (
	id INTEGER NOT NULL, 
	message_id VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	sent_at DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (message_id)
);
CREATE TABLE vacation (
	id INTEGER NOT NULL, 
	player INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	first DATE NOT NULL, 
	last DATE NOT NULL, 
	told_at DATETIME NOT NULL, 
	back_at DATETIME, 
	replaces INTEGER, 
	ends_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(player) REFERENCES player (id)
);
INSERT INTO "vacation" VALUES(1,1,'','2026-12-24','2027-01-03','2026-11-02 01:33:00.000000',NULL,NULL,'2027-01-04 00:00:00.000000');
CREATE TABLE visit (
	id INTEGER NOT NULL, 
	what VARCHAR NOT NULL, 
	visitor VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "visit" VALUES(1,'letter','4b227777d4dd1fc61c6f884f48641d02','2026-11-02 01:33:00.000000');
CREATE INDEX ix_kept_recipient ON kept (recipient);
CREATE INDEX ix_key_player ON "key" (player);
CREATE INDEX ix_signedin_player ON signedin (player);
CREATE INDEX ix_message_game ON message (game);
CREATE INDEX ix_seating_player ON seating (player);
CREATE INDEX ix_confirmation_player ON confirmation (player);
CREATE INDEX ix_signin_player ON signin (player);
CREATE INDEX ix_unasked_origin ON unasked (origin);
CREATE INDEX ix_unasked_address ON unasked (address);
CREATE INDEX ix_unasked_sent_at ON unasked (sent_at);
CREATE INDEX ix_unasked_at ON unasked (at);
CREATE INDEX ix_operatormail_state ON operatormail (state);
CREATE INDEX ix_operatormail_at ON operatormail (at);
CREATE INDEX ix_incoming_message_id ON incoming (message_id);
CREATE INDEX ix_seating_daily_at ON seating (daily_at);
CREATE INDEX ix_player_mailbox ON player (mailbox);
CREATE INDEX ix_player_lower ON player (lower(address));
CREATE INDEX ix_player_stranger ON player (id) WHERE confirmed_at IS NULL;
CREATE INDEX ix_second_lower ON second (lower(address));
CREATE INDEX ix_seating_held ON seating (held_until) WHERE held_until IS NOT NULL;
CREATE INDEX ix_failing_due ON failing (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_confirmation_due ON confirmation (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_outgoing_due ON outgoing (state, due_at);
CREATE INDEX ix_outgoing_seat ON outgoing (game, seat, kind);
CREATE INDEX ix_outgoing_recipient ON outgoing (lower(recipient), kind, queued_at);
CREATE INDEX ix_outgoing_told_by ON outgoing (told_by) WHERE told_by IS NOT NULL;
CREATE INDEX ix_outgoing_answered ON outgoing (due_at) WHERE state = 'sent' AND due_at > sent_at AND text != '';
CREATE INDEX ix_incoming_due ON incoming (state, due_at);
CREATE INDEX ix_incoming_raw_mail ON incoming (raw_mail);
CREATE INDEX ix_preference_game ON preference (game);
CREATE INDEX ix_block_origin ON block (origin);
CREATE INDEX ix_confirmation_at ON confirmation (at);
CREATE INDEX ix_failing_ended ON failing (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ix_signin_at ON signin (at);
CREATE INDEX ix_signedin_seen ON signedin (seen_at);
CREATE INDEX ix_key_at ON "key" (at);
CREATE INDEX ix_review_due ON review (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_draft_changed ON draft (changed_at);
CREATE INDEX ix_vacation_player ON vacation (player);
CREATE INDEX ix_vacation_ends_at ON vacation (ends_at);
CREATE INDEX ix_plan_changed ON "plan" (changed_at);
CREATE INDEX ix_plan_due ON "plan" (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_game_watched ON game (status, watched_at) WHERE watched_at IS NOT NULL;
CREATE INDEX ix_game_opened ON game (status, opened_at);
CREATE INDEX ix_game_suspended ON game (suspended_at) WHERE suspended_at IS NOT NULL;
CREATE INDEX ix_game_due_at ON game (due_at);
CREATE INDEX ix_game_deadline ON game (deadline);
CREATE INDEX ix_opening_rematch_of ON opening (rematch_of);
CREATE INDEX ix_offered_at ON offered (at);
CREATE INDEX ix_visit_at ON visit (at);
CREATE INDEX ix_visit_who ON visit (what, visitor, at);
COMMIT;
