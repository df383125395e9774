DROP INDEX "websites_team_id_host_key";
